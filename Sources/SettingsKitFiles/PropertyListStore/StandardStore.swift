import Synchronization

/// The one store of the app's own property list.
enum StandardStore {
    private static let opened = Mutex<PropertyListStore?>(nil, .standardStore)

    static func store() throws -> PropertyListStore {
        try opened.withLock { opened in
            if let opened { return opened }
            let store = try PropertyListStore(name: PropertyListLocation.ownName)
            opened = store
            return store
        }
    }
}
