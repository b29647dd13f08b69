#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes Booleans and numbers in other forms that people and other programs write.
///
/// A Boolean may be 0 or 1, or text: `true`, `yes`, `on`, `1` and their opposites. A number may be decimal text. An integer
/// may be a real number without a fraction. The whole text must be a value.
enum TolerantDecoding {
    /// - Returns: Nil if the bytes are no other form of the type.
    static func value<Value>(from data: Data) -> Value? {
        if isType(Bool.self, Value.self) { return cast(bool(data)) }
        if isType(Double.self, Value.self) { return cast(number(data)) }
        if isType(Float.self, Value.self) {
            return cast(number(data).map { Float($0) }.flatMap { $0.isFinite ? $0 : nil })
        }
        if isType(Int.self, Value.self) { return cast(integer(data) as Int?) }
        if isType(Int64.self, Value.self) { return cast(integer(data) as Int64?) }
        if isType(Int32.self, Value.self) { return cast(integer(data) as Int32?) }
        if isType(Int16.self, Value.self) { return cast(integer(data) as Int16?) }
        if isType(Int8.self, Value.self) { return cast(integer(data) as Int8?) }
        if isType(UInt.self, Value.self) { return cast(integer(data) as UInt?) }
        if isType(UInt64.self, Value.self) { return cast(integer(data) as UInt64?) }
        if isType(UInt32.self, Value.self) { return cast(integer(data) as UInt32?) }
        if isType(UInt16.self, Value.self) { return cast(integer(data) as UInt16?) }
        if isType(UInt8.self, Value.self) { return cast(integer(data) as UInt8?) }
        return nil
    }

    private static func isType<T>(_ type: T.Type, _ value: Any.Type) -> Bool { value == type || value == T?.self }

    /// In two steps: casting "no value" to an optional type would give its nil.
    private static func cast<T, Value>(_ value: T?) -> Value? {
        guard let value else { return nil }
        return value as? Value
    }

    private static func bool(_ data: Data) -> Bool? {
        if let text = string(data) { return TextForm<Bool>.standard.read(text) }
        return switch number(data) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private static func integer<Integer: FixedWidthInteger & Codable & Sendable>(
        _ data: Data
    ) -> Integer? {
        if let text = string(data) { return TextForm<Integer>.standard.read(text) }
        // Above this limit, a real number in the text may be another integer than the nearest `Double`.
        return number(data).flatMap { abs($0) < 0x1p53 ? Integer(exactly: $0) : nil }
    }

    private static func number(_ data: Data) -> Double? {
        if let text = string(data) { return TextForm<Double>.standard.read(text) }
        return JSONScanner.scan(data) { scanner in
            guard let number = scanner.skipNumber(), scanner.isAtEnd, let value = scanner.double(in: number),
                value.isFinite
            else { return nil }
            return value
        }
    }

    private static func string(_ data: Data) -> String? {
        JSONScanner.scan(data) { scanner in
            guard let string = scanner.readString(), scanner.isAtEnd else { return nil }
            return string
        }
    }
}
