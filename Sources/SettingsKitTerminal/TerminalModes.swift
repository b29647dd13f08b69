#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The escape sequences that the terminal view begins and ends with, by ECMA-48 and xterm.
enum TerminalSequence {
    /// The alternate screen, which keeps what the person had before.
    static let enter: StaticString = "\u{1B}[?1049h"
    /// Text that is too long ends at the edge; what is pasted is marked; no cursor.
    static let modes: StaticString = "\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l"
    /// All of that undone. An unfinished sequence before it is abandoned.
    static let leave: StaticString = "\u{18}\u{1B}[0m\u{1B}[?25h\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l"
}

extension termios {
    /// The attributes under which each key arrives at once and is not echoed.
    ///
    /// The keys that raise signals still do: they arrive as signals, just as `kill` sends them.
    var raw: termios {
        var raw = self
        raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
        raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
        raw.c_lflag |= tcflag_t(ISIG)
        raw.c_cflag |= tcflag_t(CS8)
        withUnsafeMutableBytes(of: &raw.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        return raw
    }
}

/// Writes bytes, also from the handler of a signal: it allocates nothing.
///
/// - Returns: False if they could not be written, or if `isEnded` said so after an interruption.
@discardableResult
func writeToTerminal(
    _ bytes: UnsafeRawBufferPointer, _ descriptor: Int32, unless isEnded: () -> Bool = { false }
) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
        let count = write(descriptor, rest.baseAddress, rest.count)
        if count > 0 {
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if errno == EAGAIN {
            var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&state, 1, 1_000) == 0 && isEnded() { return false }
        } else if errno != EINTR || isEnded() {
            return false
        }
    }
    return true
}

/// Writes a constant, also from the handler of a signal.
func writeToTerminal(_ text: StaticString, _ descriptor: Int32) {
    writeToTerminal(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), descriptor)
}
