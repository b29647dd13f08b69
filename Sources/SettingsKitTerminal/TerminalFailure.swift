/// Why the terminal view was not shown, or has ended, in words.
package enum TerminalFailure: Error {
    /// There is no terminal that can show it.
    case missing(String)
    /// It could not begin, or a signal has ended it.
    case interrupted(String)
}
