/// How far what was written is safe from a power failure.
package enum Flush: Comparable, Sendable {
    /// A power failure may undo it, and then undoes everything that was written after it, too. Much cheaper than ``durable`` on
    /// Apple systems, where it does not wait for the drive.
    case ordered
    /// It survives a power failure.
    case durable
}

extension FileSystem {
    /// Flushes a file's contents.
    ///
    /// - Returns: how far they are safe, which may be further than asked for.
    package func flush(_ file: FileHandle, _ flush: Flush) throws(SystemError) -> Flush {
        if flush == .ordered { return try order(file) }
        try synchronize(file)
        return .durable
    }

    // Where the system has no such call, everything is flushed.

    package func order(_ file: FileHandle) throws(SystemError) -> Flush {
        try synchronize(file)
        return .durable
    }

    package func orderDirectory(_ path: String) throws(SystemError) -> Flush {
        try synchronizeDirectory(path)
        return .durable
    }
}
