import Foundation

/// Standard output.
enum Console {
    /// Prints a line at once, also if the output is not a terminal. A closed output is no error.
    static func show(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}
