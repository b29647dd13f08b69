import SettingsKitCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The locations of property lists that are opened by name.
///
/// - Linux: `$XDG_CONFIG_HOME/NAME/Settings.plist`; without that variable, `~/.config/NAME/Settings.plist` (the XDG Base
///   Directory Specification).
/// - Apple platforms: `NAME/Settings.plist` in the app's Application Support directory.
package struct PropertyListLocation {
    let path: String

    /// The location for a name.
    ///
    /// - Throws: `storeUnavailable` if the name cannot be that of a directory, `memoryOnly` if there is no home directory.
    init(name: String) throws {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
            throw SettingsError(.storeUnavailable, store: "PropertyListStore", underlying: UnusableName())
        }
        do {
            path = try Self.platformDirectory + "/" + name + "/Settings.plist"
        } catch {
            throw SettingsError(.memoryOnly, store: "PropertyListStore", underlying: error)
        }
    }
}

extension PropertyListLocation {
    /// The program's own folder for a store's additional files.
    ///
    /// - Throws: `memoryOnly` if there is no home directory.
    package static func stateDirectory(for name: String, store: String) throws -> String {
        do {
            return try platformStateDirectory + "/" + ownName + "/" + name
        } catch {
            throw SettingsError(.memoryOnly, store: store, underlying: error)
        }
    }
}

private struct UnusableName: ValueFreeError {
    var description: String { "The name of a property list must be a valid name of a directory." }
}

/// There is no directory for settings.
struct NoHomeDirectory: ValueFreeError {
    var description: String { "There is no home directory; set HOME or XDG_CONFIG_HOME, or give the store a URL." }
}

extension PropertyListStore {
    /// Opens the property list of a name: for settings that several programs share, or for a second file of one program.
    ///
    /// The file is `NAME/Settings.plist` in `$XDG_CONFIG_HOME` or `~/.config` on Linux, and in the Application Support
    /// directory on Apple platforms.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - access: Whether the store may write.
    ///   - patience: How long an operation waits for another process; see ``init(url:access:patience:lag:)``.
    ///   - lag: How long a change may be missing from the property list; see ``init(url:access:patience:lag:)``.
    /// - Throws: ``SettingsError``: `memoryOnly` if there is no home directory, `storeUnavailable` if the name cannot be
    ///   that of a directory or the file cannot be read.
    public convenience init(
        name: String, access: Access = .readWrite, patience: Duration = defaultPatience, lag: Duration? = nil
    ) throws {
        try self.init(path: PropertyListLocation(name: name).path, access: access, patience: patience, lag: lag)
    }

    /// The path of the property list of a name.
    ///
    /// - Throws: as ``init(name:access:patience:lag:)`` does.
    package static func path(forName name: String) throws -> String { try PropertyListLocation(name: name).path }

    /// The app's own property list, the same store each time.
    ///
    /// It is named after the executable on Linux, after the bundle identifier on Apple platforms.
    ///
    /// - Throws: as ``init(name:access:patience:lag:)`` does. It is tried again at the next call.
    public static func standard() throws -> PropertyListStore {
        try StandardStore.store()
    }
}

/// The one store of the app's own property list.
enum StandardStore {
    private static let opened = Mutex<PropertyListStore?>(nil, .store)

    static func store() throws -> PropertyListStore {
        try opened.withLock { opened in
            if let opened { return opened }
            let store = try PropertyListStore(name: PropertyListLocation.ownName)
            opened = store
            return store
        }
    }
}
