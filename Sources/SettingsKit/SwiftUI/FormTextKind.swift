import SettingsKitCore

extension FormControl {
    /// The kind of a text, which determines how a field edits it.
    enum TextKind: Equatable, Sendable {
        /// Any text. Leading and trailing spaces belong to it.
        case plain
        case integer, number, url
        /// A text with a syntax: a UUID, a date, data, JSON.
        case code

        enum Keyboard: Equatable, Sendable {
            case standard, numbersAndPunctuation, url
        }

        init(_ type: ValueDescription) {
            self =
                switch (type.json, type.format, type.encoding) {
                case ("integer", _, _): .integer
                case ("number", _, _): .number
                case (_, "uri-reference", _): .url
                case ("string", nil, nil): .plain
                default: .code
                }
        }

        var isNumber: Bool { self == .integer || self == .number }

        /// A keyboard with only digits has neither a sign nor a key that submits.
        var keyboard: Keyboard {
            switch self {
            case .plain, .code: .standard
            case .integer, .number: .numbersAndPunctuation
            case .url: .url
            }
        }

        /// Whether the system may capitalize the text, and correct its spelling.
        var isProse: Bool { self == .plain }
    }
}
