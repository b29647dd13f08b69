import SettingsKitCore

/// The conversion of a column's values, by its declared type:
/// https://www.sqlite.org/datatype3.html#determination_of_column_affinity
enum ColumnAffinity: Equatable {
    case text
    /// Text that is a number becomes a floating-point number.
    case real
    /// Text that is a number becomes an integer of 64 bits, or a floating-point number.
    case numeric
    case none

    init(declaredType: String) {
        let type = declaredType.uppercased()
        func has(_ parts: String...) -> Bool { parts.contains { type.contains($0) } }
        if has("INT") {
            self = .numeric
        } else if has("CHAR", "CLOB", "TEXT") {
            self = .text
        } else if type.isEmpty || has("BLOB") {
            self = .none
        } else {
            self = has("REAL", "FLOA", "DOUB") ? .real : .numeric
        }
    }

    /// Whether text that is a number is stored as a number.
    var isNumber: Bool { self == .real || self == .numeric }

    /// Whether a column with this affinity would store a number with fewer digits than the text has.
    func losesDigits(of text: String) -> Bool {
        guard isNumber, Self.mayLoseDigits(of: text) else { return false }
        return self == .real || Int64(text) == nil
    }

    /// Whether a text is a number with more than the 15 digits that a floating-point number keeps, or one that is too large.
    static func mayLoseDigits(of text: String) -> Bool {
        // Most texts begin with a letter.
        guard let first = text.utf8.first, first <= UInt8(ascii: "9"),
            text.utf8.count > 15 || text.utf8.contains(UInt8(ascii: "e")) || text.utf8.contains(UInt8(ascii: "E")),
            let number = Double(text.drop { $0 == " " })
        else { return false }
        if number.isInfinite { return true }
        let mantissa = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let digits = mantissa.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 }
        return digits.reversed().drop { $0 == 0x30 }.count > 15
    }
}

extension Connection {
    /// Refuses assignments of values that would be stored with fewer digits: decimal numbers, as text, in a column that is
    /// declared as a number.
    ///
    /// - Throws: `encodingFailed`.
    func requireDigits(of values: some Sequence<SQLiteRow.Entry>, in table: String) throws {
        for (name, value) in values {
            guard case .text(let text) = value, ColumnAffinity.mayLoseDigits(of: text),
                let column = try TableDescription(of: table, on: self)?.column(named: name),
                column.affinity.losesDigits(of: text)
            else { continue }
            throw lostDigits(in: name, of: table)
        }
    }

    /// The error that a column would store a value with fewer digits.
    func lostDigits(in column: String, of table: String) -> SettingsError {
        SettingsError(
            .unsupportedValue, store: "\(description), table \(table), column \(column)",
            underlying: SQLiteProblem(
                "The column's numeric type stores fewer digits; declare the column as text."))
    }
}
