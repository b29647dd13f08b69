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

    /// The number of columns of the output.
    package let width: Int
    /// Reads all of the input.
    package let read: () throws -> Data
    private let output: (String) throws -> Void
    private let errors: (String) throws -> Void

    package init(
        read: @escaping () throws -> Data, output: @escaping (String) throws -> Void,
        errors: @escaping (String) throws -> Void, width: Int = TextLayout.width
    ) {
        self.width = width
        self.read = read
        self.output = output
        self.errors = errors
    }

    /// Writes text with its line break.
    ///
    /// - Throws: ``Closed``; a failure if the output cannot be written for another reason, such as a full disk.
    package func print(_ text: String) throws {
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
        // There is no other place for a message that cannot be written.
        try? errors(text)
    }
}
