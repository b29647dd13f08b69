import Foundation

/// Lines for people.
enum Console {
    private static let beginning = Date()

    static func say(_ who: String, _ what: String) {
        let start = beginning
        let time = String(format: "%5.2f s  ", Date().timeIntervalSince(start))
        show(time + SharedFolder.column(who) + what)
    }

    /// Shows a line at once, also when the output is no terminal. If nobody reads it, there is nobody to be told.
    static func show(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}
