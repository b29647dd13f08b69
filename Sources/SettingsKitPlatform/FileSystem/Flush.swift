/// The safety of written data from a power failure.
package enum Flush: Comparable, Sendable {
    /// A power failure may undo it, and then also undoes everything written later. Much cheaper than ``durable`` on Apple
    /// systems, where it does not wait for the drive.
    case ordered
    /// It survives a power failure.
    case durable
}

extension FileSystem {
    /// Flushes a file's contents.
    ///
    /// - Returns: the reached safety, which may be higher than requested.
    package func flush(_ file: FileHandle, _ flush: Flush) throws(SystemError) -> Flush {
        if flush == .ordered { return try order(file) }
        try synchronize(file)
        return .durable
    }

    // A system without such a call flushes everything.

    package func order(_ file: FileHandle) throws(SystemError) -> Flush {
        try synchronize(file)
        return .durable
    }

    package func orderDirectory(_ path: String) throws(SystemError) -> Flush {
        try synchronizeDirectory(path)
        return .durable
    }
}
