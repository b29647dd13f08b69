import SettingsCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What is open in this process, one object a file or directory, however many stores there are over it.
package final class OpenObjects<Object: AnyObject & Sendable>: Sendable {
    // By bytes: names that are equal as strings may be two files.
    private let objects = Mutex<[[UInt8]: WeakReference<Object>]>([:])

    package init() {}

    /// The object for a path, opened if it is not. Others who open something wait.
    package func object(for path: String, open: () throws -> sending Object) throws -> Object {
        // Given up outside of the lock: the last reference to one runs what is done at its end.
        let key = Array(path.utf8)
        var others: [Object] = []
        defer { withExtendedLifetime(others) {} }
        return try objects.withLock { objects in
            if let object = objects[key]?.object { return object }
            objects = objects.filter { _, reference in
                guard let object = reference.object else { return false }
                others.append(object)
                return true
            }
            let object = try open()
            objects[key] = WeakReference(object)
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
