/// The reason why a file cannot be read as settings. It never contains a value.
package struct TransferProblem: Error, Equatable, Sendable {
    package var message: String
    /// The line of the file, from 1; nil if it is unknown.
    package var line: Int?

    package init(message: String, line: Int? = nil) {
        self.message = message
        self.line = line
    }

    package var description: String { line.map { "Line \($0): \(message)" } ?? message }
}
