import SettingsKitCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The open objects of this process, one for each file or directory, however many stores use it.
package final class OpenObjects<Object: AnyObject & Sendable>: Sendable {
    private struct Entry {
        // Bytes, because two equal strings may be the names of two files.
        let path: [UInt8]
        let reference: WeakReference<Object>
    }

    /// An array: the first use of `[UInt8]` as a key takes a noticeable part of a process's start, and opening visits all entries
    /// anyway.
    private let entries = Mutex<[Entry]>([], .store)

    package init() {}

    /// Returns the object for a path if it is open.
    package func openObject(for path: String) -> Object? {
        entries.withLock { $0.first { $0.path.elementsEqual(path.utf8) } }?.reference.object
    }

    /// Returns the object for a path, and opens it if necessary. Other threads that open an object wait.
    package func object(for path: String, open: () throws -> sending Object) throws -> Object {
        // Released outside of the lock: the last reference to an object runs its final work.
        let path = Array(path.utf8)
        var others: [Object] = []
        defer { withExtendedLifetime(others) {} }
        return try entries.withLock { entries in
            var present: [Entry] = []
            for entry in entries {
                guard let object = entry.reference.object else { continue }
                if entry.path == path { return object }
                others.append(object)
                present.append(entry)
            }
            entries = present
            let object = try open()
            entries.append(Entry(path: path, reference: WeakReference(object)))
            return object
        }
    }
}

extension WholeFile {
    /// Resolves the symbolic links among the directories of a path. Returns the path unchanged if the directory is missing.
    package static func realPath(_ path: String) -> String {
        let (directory, name) = split(path)
        guard let real = realpath(directory, nil) else { return path }
        defer { free(real) }
        return join(String(cString: real), name)
    }
}
