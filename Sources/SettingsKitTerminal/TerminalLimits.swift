/// The limits and times of the terminal view.
package enum TerminalLimits {
    /// The time to wait for the rest of an escape sequence, in milliseconds. A lone key is not delayed by much more.
    static let sequenceTime = 100
    /// The time between two redraws for live changes, in milliseconds.
    static let frameTime = 40
    /// The largest text that can be edited in a line, in bytes.
    package static let editedText = 100_000
    /// The size of the text on standard error that is kept until the view ends, in bytes.
    static let capturedErrors = 65_536
    /// The greatest number of Unicode scalars of one character that is sent to a terminal. The longest emoji have 14.
    static let scalarsOfCharacter = 16
    /// The bytes of parameters of an escape sequence that are read.
    static let sequenceParameters = 24
}
