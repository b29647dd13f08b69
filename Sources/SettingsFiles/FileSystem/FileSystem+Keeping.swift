#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How a file was kept that another is to replace.
enum KeptFile {
    case notAtAll
    /// It has another name besides its own.
    case linked
    /// It has another name in place of its own.
    case moved
}

extension FileSystem {
    /// Gives a file another name besides its own, if that is possible.
    func linkIfPossible(_ path: String, as newPath: String) -> KeptFile {
        do throws(SystemError) {
            try link(path, as: newPath)
            return .linked
        } catch {
            // There is none, or the file system has no hard links.
            return .notAtAll
        }
    }

    /// Gives a file another name. On file systems without hard links it has only that afterwards.
    func keepAside(_ path: String, as newPath: String) throws(SystemError) -> KeptFile {
        do throws(SystemError) {
            try link(path, as: newPath)
            return .linked
        } catch {
            switch error.number {
            case ENOENT: return .notAtAll
            // Also for files of other users, where the system protects those.
            case EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS:
                try rename(path, to: newPath)
                return .moved
            default: throw error
            }
        }
    }
}
