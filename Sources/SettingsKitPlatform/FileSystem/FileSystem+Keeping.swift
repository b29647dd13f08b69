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
            if error.number == ENOENT { return .notAtAll }
            guard error.isAboutHardLinks else { throw error }
            try rename(path, to: newPath)
            return .moved
        }
    }
}

extension SystemError {
    /// Whether a file got no other name because the file system has no hard links, or refuses one for this file: some
    /// systems protect files of other users.
    package var isAboutHardLinks: Bool { [EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS].contains(number) }
}
