#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps the library's files off the descriptors of standard input, output and error.
///
/// If a program was started with one of them closed, the next opened file gets its number, and the output of the
/// program would be written into that file.
package enum Descriptor {
    /// Returns the open file with a descriptor of at least 3.
    ///
    /// - Parameter descriptor: A new descriptor, closed by this call if it is below 3; -1 is passed on with `errno`.
    package static func aboveStandard(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0, descriptor <= STDERR_FILENO else { return descriptor }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        let number = errno
        _ = close(descriptor)
        errno = number
        return moved
    }
}
