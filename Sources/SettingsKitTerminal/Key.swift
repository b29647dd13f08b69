/// A key press, or pasted text.
enum Key: Hashable, Sendable {
    /// A Unicode scalar of typed text. A character of several scalars arrives as several keys.
    case scalar(Unicode.Scalar)
    /// Text that the terminal marks as pasted, or a part of it. Its line breaks are `\n`.
    case pasted(String)
    /// A letter with the control key, in lower case.
    case control(Unicode.Scalar)
    case enter, lineBreak, escape, tab, backTab, backspace, delete, deleteWord
    case up, down, left, right, wordLeft, wordRight, home, end, pageUp, pageDown
    /// Bytes that are not text in UTF-8.
    case unreadable
}
