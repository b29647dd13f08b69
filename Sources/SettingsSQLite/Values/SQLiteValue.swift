#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value as SQLite stores it: one of the five storage classes.
public enum SQLiteValue: Sendable, Hashable {
    /// No value.
    case null
    /// A signed integer of 64 bits.
    case integer(Int64)
    /// A floating-point number of 64 bits; never NaN, which SQLite cannot hold.
    case real(Double)
    /// Text: any string of up to a billion bytes, also with NUL.
    case text(String)
    /// Bytes. Empty bytes are not `null`.
    case blob(Data)

    /// The name of this kind of value in messages.
    var kind: String {
        switch self {
        case .null: "NULL"
        case .integer: "an integer"
        case .real: "a floating-point number"
        case .text: "text"
        case .blob: "bytes"
        }
    }
}

/// A type whose values are stored in a column.
///
/// Numbers, `Bool`, `String`, `Data`, `Date`, `URL` and `UUID` conform to it. An enumeration with a raw value can
/// conform without further code:
///
/// ```swift
/// enum Role: String, SQLiteConvertible {
///     case guest, owner
/// }
/// ```
///
/// | type | stored as |
/// |---|---|
/// | integers, `Bool` | integer; `Bool` as 0 and 1 |
/// | `Double`, `Float` | floating-point number |
/// | `String` | text |
/// | `URL`, `UUID` | text, `https://example.org` and `E621E1F8-C36C-495A-93FC-0C247A3E6E5F` |
/// | `Data` | bytes |
/// | `Date` | floating-point number: seconds since 1 January 2001, UTC, as Core Data has it, so that the same date comes back; `datetime(x + 978307200, 'unixepoch')` shows it |
///
/// Other `Codable` types need not conform: a row stores an enumeration's raw value, and other values as JSON text. A
/// type that wraps a single value is stored as that value, not as JSON, if it conforms or is `RawRepresentable`.
public protocol SQLiteConvertible {
    /// The value to store.
    ///
    /// Throws if there is none: for NaN, and for unsigned integers beyond `Int64.max`.
    var sqliteValue: SQLiteValue { get throws }

    /// Creates a value from a stored one; nil if that has another type, or does not fit.
    init?(sqliteValue: SQLiteValue)
}

extension SQLiteConvertible where Self: RawRepresentable, RawValue: SQLiteConvertible {
    /// The raw value to store.
    @inlinable public var sqliteValue: SQLiteValue { get throws { try rawValue.sqliteValue } }

    /// Creates a value from its stored raw value.
    @inlinable public init?(sqliteValue: SQLiteValue) {
        guard let rawValue = RawValue(sqliteValue: sqliteValue) else { return nil }
        self.init(rawValue: rawValue)
    }
}

/// The error that a value has no stored form.
@usableFromInline struct Unstorable: Error {
    let reason: String

    @usableFromInline static let notANumber = Unstorable(reason: "SQLite cannot hold NaN.")
    @usableFromInline static let tooLarge = Unstorable(reason: "SQLite cannot hold integers beyond Int64.max.")
}
