/// The reason why a file of settings cannot be read.
///
/// A format throws it. The reason must not contain a value, because it appears in messages.
public struct SettingsFileProblem: Error, Hashable, Sendable {
    /// A sentence without a period, such as "A comma is missing".
    public var reason: String
    /// The line, from 1; nil if the problem concerns the whole file.
    public var line: Int?
    /// The column in the line, from 1, in Unicode scalars; nil if it is unknown.
    public var column: Int?

    /// Creates a problem.
    public init(_ reason: String, line: Int? = nil, column: Int? = nil) {
        (self.reason, self.line, self.column) = (reason, line, column)
    }

    init(_ reason: String, at position: TextPosition?) {
        self.init(reason, line: position?.line, column: position?.column)
    }
}

extension SettingsFileProblem: CustomStringConvertible, ValueFreeError {
    /// The reason with its place: "A comma is missing (line 3, column 9)."
    public var description: String {
        guard let line else { return reason + "." }
        return "\(reason) (\(TextPosition(line: line, column: column)))."
    }
}
