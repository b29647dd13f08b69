import Synchronization

/// A table with one object for each store object in use, such as its ``SerializingStore``. It keeps neither alive.
///
/// The objects must hold their store: while an entry's object lives, no other store can have the same address.
final class StoreTable<Object: AnyObject & Sendable>: Sendable {
    private let objects = Mutex<[ObjectIdentifier: WeakReference<Object>]>([:], .leaf)

    /// Returns the object of a store, and creates it if there is none.
    ///
    /// A store that is a value has no identity, so `make` runs each time.
    ///
    /// - Parameter make: Called with no lock held, because it may call the store.
    func object(for store: any SettingsStore, make: () -> Object) -> Object {
        guard let identifier = store.identity else { return make() }
        if let object = objects.withLock({ $0[identifier]?.object }) { return object }
        let made = make()
        let (kept, others) = objects.withLock { objects in
            var others: [Object] = []
            objects = objects.filter { entry in
                guard let object = entry.value.object else { return false }
                others.append(object)
                return true
            }
            let kept = objects[identifier]?.object ?? made
            objects[identifier] = WeakReference(kept)
            return (kept, others)
        }
        // Reading a weak reference may leave the last strong one here. It is released outside the lock.
        withExtendedLifetime(others) {}
        return kept
    }
}

extension SettingsStore {
    /// The identity of the store's object; nil for a store that is a value, because each copy of it is another store.
    fileprivate var identity: ObjectIdentifier? {
        type(of: self) is any AnyObject.Type ? ObjectIdentifier(self as AnyObject) : nil
    }
}

/// A weak reference.
package struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    package weak let object: Object?

    package init(_ object: Object?) {
        self.object = object
    }
}

extension Array {
    /// Removes the references whose objects were released.
    ///
    /// - Returns: the remaining objects. Release them outside the lock in which this is called: the references that this creates
    ///   may be the last ones, and releasing them then runs foreign code.
    package mutating func removeDangling<Object>() -> [Object] where Element == WeakReference<Object> {
        // Usual at the start of a process, where the first run of the code below is slow.
        if isEmpty { return [] }
        var objects: [Object] = []
        self = filter { reference in
            guard let object = reference.object else { return false }
            objects.append(object)
            return true
        }
        return objects
    }
}
