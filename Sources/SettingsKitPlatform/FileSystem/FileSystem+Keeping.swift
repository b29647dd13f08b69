#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How a replaced file is kept.
enum KeptFile {
    case notAtAll
    /// It has a second name.
    case linked
    /// It has another name instead of its old one.
    case moved
}

extension FileSystem {
    /// Gives a file another name. On file systems without hard links, that name replaces the old one.
    func keepAside(_ path: String, as newPath: String) throws(SystemError) -> KeptFile {
        do throws(SystemError) {
            try link(path, as: newPath)
            return .linked
        } catch {
            if error.number == ENOENT { return .notAtAll }
            guard error.isAboutHardLinks else { throw error }
            try rename(path, to: newPath)
            return .moved
        }
    }
}

extension SystemError {
    /// Whether a file has no second name because the file system has no hard links, or refuses one for this file: some
    /// systems protect files of other users.
    package var isAboutHardLinks: Bool { [EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS].contains(number) }
}
