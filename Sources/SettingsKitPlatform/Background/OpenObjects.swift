import SettingsKitCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What is open in this process, one object a file or directory, however many stores there are over it.
package final class OpenObjects<Object: AnyObject & Sendable>: Sendable {
    private struct Entry {
        // By bytes: names that are equal as strings may be two files.
        let path: [UInt8]
        let reference: WeakReference<Object>
    }

    /// An array: to find out that `[UInt8]` is hashable costs a process a noticeable part of its start, and opening goes
    /// through all of them in any case.
    private let entries = Mutex<[Entry]>([], .opening)

    package init() {}

    /// The object for a path, opened if it is not. Others who open something wait.
    package func object(for path: String, open: () throws -> sending Object) throws -> Object {
        // Given up outside of the lock: the last reference to one runs what is done at its end.
        let path = Array(path.utf8)
        var others: [Object] = []
        defer { withExtendedLifetime(others) {} }
        return try entries.withLock { entries in
            if let object = entries.first(where: { $0.path == path })?.reference.object { return object }
            var present: [Entry] = []
            for entry in entries {
                guard let object = entry.reference.object else { continue }
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
    /// A path with symbolic links among its directories followed; as it is where the directory is not there.
    package static func realPath(_ path: String) -> String {
        let (directory, name) = split(path)
        guard let real = realpath(directory, nil) else { return path }
        defer { free(real) }
        return join(String(cString: real), name)
    }
}
