import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The input and the outputs of a command.
package struct CommandStreams {
    /// The error that nothing reads the output any more.
    package struct Closed: Error {}

    /// Whether the output shows colors: it is a terminal, and `NO_COLOR` is not set.
    package let usesColors: Bool
    /// The number of columns of the output.
    package let width: Int
    /// Whether messages go to a terminal, which then shows the progress of long operations.
    package let showsProgress: Bool
    private let readInput: () throws -> Data
    private let output: (String) throws -> Void
    private let errors: (String) throws -> Void

    package init(
        read: @escaping () throws -> Data, output: @escaping (String) throws -> Void,
        errors: @escaping (String) throws -> Void, usesColors: Bool = false, width: Int = TextLayout.width,
        showsProgress: Bool = false
    ) {
        self.usesColors = usesColors
        self.width = width
        self.showsProgress = showsProgress
        readInput = read
        self.output = output
        self.errors = errors
    }

    /// All of the input.
    package func read() throws -> Data {
        HeldLocks.requireNone(before: "the input of a command")
        return try readInput()
    }

    /// Writes text with its line break.
    ///
    /// - Throws: ``Closed``; a failure if the output cannot be written for another reason, such as a full disk.
    package func print(_ text: String) throws {
        HeldLocks.requireNone(before: "the output of a command")
        do {
            try output(text)
        } catch let error as POSIXError where error.code != .EPIPE {
            let reason = String(cString: strerror(error.code.rawValue))
            throw CommandFailure.failure("The output cannot be written: \(reason).")
        } catch {
            throw Closed()
        }
    }

    /// Writes lines, many at once: writing each one separately would take longer than storing it.
    ///
    /// - Parameter line: The text of an element, with its line break.
    /// - Throws: as ``print(_:)`` does.
    package func print<S: Sequence>(lines: S, _ line: (S.Element) -> String) throws {
        var text = ""
        for element in lines {
            text += line(element)
            if text.utf8.count > 65_536 {
                try print(text)
                text = ""
            }
        }
        if !text.isEmpty { try print(text) }
    }

    /// Fails if the output is closed, without writing anything.
    ///
    /// - Throws: as ``print(_:)`` does.
    package func requireOpenOutput() throws { try print("") }

    /// Text in bold, where the output has colors.
    package func bold(_ text: String) -> String { usesColors ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    /// Text in a weaker color, where the output has colors.
    package func dim(_ text: String) -> String { usesColors ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

    /// Shows the progress of a long operation on a terminal, in place of the last progress.
    package func progress(_ text: String) {
        guard showsProgress else { return }
        let width = CommandLimits.progressColumns
        send("\r\(TextLayout.padded(TextLayout.truncated(text, to: width), to: width))")
    }

    /// Removes the progress from the terminal.
    package func endProgress() {
        guard showsProgress else { return }
        send("\r\(String(repeating: " ", count: CommandLimits.progressColumns))\r")
    }

    /// Writes a message, broken into lines of 80 columns. Messages never contain control characters.
    ///
    /// A message that cannot be written is lost: it changes neither what the command does nor its exit code.
    package func report(_ message: String) {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            TextLayout.columns(String(line)) <= TextLayout.width
                ? [String(line)] : TextLayout.wrapped(String(line), to: TextLayout.width)
        }
        var text = lines.map { TextLayout.escaped($0) }.joined(separator: "\n")
        if !text.hasSuffix("\n") { text += "\n" }
        send(text)
    }

    /// Writes to standard error.
    private func send(_ text: String) {
        HeldLocks.requireNone(before: "the output of a command")
        do {
            try errors(text)
        } catch {
            // There is no other place for the message.
        }
    }
}
