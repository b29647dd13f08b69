#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SQLiteValue: SQLiteConvertible {
    /// The value itself.
    @inlinable public var sqliteValue: SQLiteValue {
        get throws {
            if case .real(let number) = self, number.isNaN { throw Unstorable.notANumber }
            return self
        }
    }

    /// The value itself.
    @inlinable public init?(sqliteValue: SQLiteValue) { self = sqliteValue }
}

extension SQLiteConvertible where Self: FixedWidthInteger {
    /// An integer; throws beyond `Int64.max`.
    @inlinable public var sqliteValue: SQLiteValue {
        get throws {
            guard let number = Int64(exactly: self) else {
                throw Unstorable.tooLarge
            }
            return .integer(number)
        }
    }

    /// The stored integer, also if it is a floating-point number without a fraction; nil if it does not fit.
    @inlinable public init?(sqliteValue: SQLiteValue) {
        switch sqliteValue {
        case .integer(let number): self.init(exactly: number)
        case .real(let number): self.init(exactly: number)
        default: return nil
        }
    }
}

extension Int: SQLiteConvertible {}
extension Int8: SQLiteConvertible {}
extension Int16: SQLiteConvertible {}
extension Int32: SQLiteConvertible {}
extension Int64: SQLiteConvertible {}
extension UInt: SQLiteConvertible {}
extension UInt8: SQLiteConvertible {}
extension UInt16: SQLiteConvertible {}
extension UInt32: SQLiteConvertible {}
extension UInt64: SQLiteConvertible {}

extension Bool: SQLiteConvertible {
    /// 0 or 1.
    @inlinable public var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }

    /// True for 1, false for 0.
    @inlinable public init?(sqliteValue: SQLiteValue) {
        switch sqliteValue {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }
}

extension SQLiteConvertible where Self: BinaryFloatingPoint {
    /// A floating-point number; throws for NaN.
    @inlinable public var sqliteValue: SQLiteValue {
        get throws { try SQLiteValue.real(Double(self)).sqliteValue }
    }

    /// The stored number, also if it is an integer; nil if it cannot be represented exactly.
    @inlinable public init?(sqliteValue: SQLiteValue) {
        switch sqliteValue {
        case .integer(let number): self.init(exactly: number)
        case .real(let number): self.init(exactly: number)
        default: return nil
        }
    }
}

extension Double: SQLiteConvertible {}
extension Float: SQLiteConvertible {}

extension String: SQLiteConvertible {
    /// Text.
    @inlinable public var sqliteValue: SQLiteValue { .text(self) }

    /// The stored text.
    @inlinable public init?(sqliteValue: SQLiteValue) {
        guard case .text(let text) = sqliteValue else { return nil }
        self = text
    }
}

extension Data: SQLiteConvertible {
    /// Bytes.
    @inlinable public var sqliteValue: SQLiteValue { .blob(self) }

    /// The stored bytes.
    @inlinable public init?(sqliteValue: SQLiteValue) {
        guard case .blob(let bytes) = sqliteValue else { return nil }
        self = bytes
    }
}

extension Date: SQLiteConvertible {
    /// The seconds since 1 January 2001, UTC.
    @inlinable public var sqliteValue: SQLiteValue { get throws { try timeIntervalSinceReferenceDate.sqliteValue } }

    /// The stored date.
    @inlinable public init?(sqliteValue: SQLiteValue) {
        guard let seconds = TimeInterval(sqliteValue: sqliteValue) else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

extension URL: SQLiteConvertible {
    /// The absolute string.
    @inlinable public var sqliteValue: SQLiteValue { .text(absoluteString) }

    /// The stored URL.
    @inlinable public init?(sqliteValue: SQLiteValue) {
        guard case .text(let text) = sqliteValue else { return nil }
        self.init(string: text)
    }
}

extension UUID: SQLiteConvertible {
    /// The text with hyphens, in upper case.
    @inlinable public var sqliteValue: SQLiteValue { .text(uuidString) }

    /// The stored UUID, in upper or lower case, or as sixteen bytes.
    @inlinable public init?(sqliteValue: SQLiteValue) {
        switch sqliteValue {
        case .text(let text):
            self.init(uuidString: text)
        case .blob(let bytes) where bytes.count == 16:
            self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        default:
            return nil
        }
    }
}
