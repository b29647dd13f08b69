/// A value in SQL, where it cannot be bound: in the definition of a table.
enum Literal {
    static func sql(_ value: SQLiteValue) throws -> String {
        switch value {
        case .null: return "NULL"
        case .integer(let number): return "\(number)"
        case .real(let number):
            // SQLite reads a number that is too large as infinity.
            if number.isInfinite { return number > 0 ? "9e999" : "-9e999" }
            return "\(number)"
        case .text(let text):
            guard !text.utf8.contains(0) else { throw Unstorable(reason: "A default cannot contain NUL.") }
            return Quotes.around(text, "'")
        case .blob(let data): return "x'" + data.map(hexadecimal).joined() + "'"
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
