/// The name of a table, a column or an index in SQL.
enum Identifier {
    /// The name between backquotes. (SQLite treats an unknown name between double quotes as a string.)
    static func quoted(_ name: String) -> String { Quotes.around(name, "`") }

    /// Whether two names are equal to SQLite, which ignores the case of ASCII letters only.
    static func areSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// Text between quotes.
enum Quotes {
    /// The text between two quotes, with each quote in it doubled, byte by byte, even a quote that forms a character with its
    /// neighbors.
    static func around(_ text: String, _ quote: Unicode.Scalar) -> String {
        var quoted = String.UnicodeScalarView()
        quoted.append(quote)
        for scalar in text.unicodeScalars {
            if scalar == quote { quoted.append(quote) }
            quoted.append(scalar)
        }
        quoted.append(quote)
        return String(quoted)
    }
}
