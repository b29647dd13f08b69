#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps the library's files off the descriptors of standard input, output and error.
///
/// If one of them is closed, the next opened file gets its number, and the program's output would go into that file, even if the
/// file is moved to another descriptor a moment later.
package enum Descriptor {
    /// Opens a file with a descriptor of at least 3. Fills closed lower ones first.
    ///
    /// - Parameter open: Opens it, and returns a new descriptor, or -1 with `errno`.
    package static func aboveStandard(_ open: () -> Int32) -> Int32 {
        fillStandard()
        // Another thread may have closed a descriptor in the meantime.
        return aboveStandard(open())
    }

    /// Opens `/dev/null` in place of closed standard input, output and error. Writing to one still fails. A program that is
    /// started then finds it closed.
    package static func fillStandard() {
        for number in STDIN_FILENO...STDERR_FILENO {
            while fcntl(number, F_GETFD) == -1 {
                let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                if descriptor == number { break }
                // Another thread was faster, or the file is missing.
                guard descriptor != -1 else { return }
                _ = close(descriptor)
            }
        }
    }

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
