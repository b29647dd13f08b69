/// The reason, in words, why the terminal view was not shown or has ended.
package enum TerminalFailure: Error {
    /// No terminal can show it.
    case missing(String)
    /// It could not begin, or a signal has ended it.
    case interrupted(String)
}
