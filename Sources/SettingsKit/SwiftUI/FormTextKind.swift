import SettingsKitCore

extension FormControl {
    /// What a text is, which decides how a field edits it.
    enum TextKind: Equatable, Sendable {
        /// Any text. Spaces at its ends belong to it.
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

        /// The keyboards of digits alone have neither a sign nor a key that submits.
        var keyboard: Keyboard {
            switch self {
            case .plain, .code: .standard
            case .integer, .number: .numbersAndPunctuation
            case .url: .url
            }
        }

        /// Whether the system may begin the text with a capital, and correct its spelling.
        var isProse: Bool { self == .plain }
    }
}
