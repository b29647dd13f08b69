#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The escape sequences that the terminal view begins and ends with, by ECMA-48 and xterm.
enum TerminalSequence {
    /// The alternate screen, which preserves the contents of the terminal.
    static let enter: StaticString = "\u{1B}[?1049h"
    /// Long lines are cut off at the edge; pasted text is marked; the cursor is hidden.
    static let modes: StaticString = "\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l"
    /// Undoes all of that. Abandons an unfinished sequence before it.
    static let leave: StaticString = "\u{18}\u{1B}[0m\u{1B}[?25h\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l"
}

extension termios {
    /// The attributes with which each key arrives at once and is not echoed.
    ///
    /// The keys that raise signals still do.
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

/// Writes bytes. A signal handler may call it: it allocates nothing.
///
/// - Returns: False if writing failed, or if `isEnded` returned true after an interruption.
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

/// Writes a constant. A signal handler may call it.
func writeToTerminal(_ text: StaticString, _ descriptor: Int32) {
    writeToTerminal(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), descriptor)
}
