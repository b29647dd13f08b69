#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TextValue where Self: FixedWidthInteger {
    static func value(_ text: String) -> Self? { Self(text) }
    var text: String? { String(self) }
    static var isRawValue: Bool { true }

    static var textType: ValueDescription {
        var type = ValueDescription("an integer", json: "integer")
        if Self.self != Int.self && Self.self != Int64.self {
            type.constraint.minimum = String(Self.min)
            if Self.bitWidth < 64 { type.constraint.maximum = String(Self.max) }
            type.limits = Self.bitWidth < 64 ? " from \(Self.min) to \(Self.max)" : " of at least 0"
        }
        return type
    }
}

extension Int: TextValue {}
extension Int64: TextValue {}
extension Int32: TextValue {}
extension Int16: TextValue {}
extension Int8: TextValue {}
extension UInt: TextValue {}
extension UInt64: TextValue {}
extension UInt32: TextValue {}
extension UInt16: TextValue {}
extension UInt8: TextValue {}

/// Checks the text of a number with a fraction.
private enum DecimalText {
    /// Returns whether a text has the characters of a decimal number: not `0x10`, `inf` or `nan`.
    static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
    }

    static let type = ValueDescription("a number", json: "number")
}

extension TextValue where Self: BinaryFloatingPoint & LosslessStringConvertible {
    static func value(_ text: String) -> Self? {
        guard DecimalText.isPlain(text), let value = Self(text), value.isFinite else { return nil }
        return value
    }

    var text: String? {
        guard isFinite else { return nil }
        let text = description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static var textType: ValueDescription { DecimalText.type }
}

extension Double: TextValue {}
extension Float: TextValue {}

extension Decimal: TextValue {
    static func value(_ text: String) -> Decimal? {
        // The initializer reads the beginning of a text, and ignores the rest.
        guard DecimalText.isPlain(text), Double(text) != nil, let value = Decimal(string: text), value.isFinite
        else { return nil }
        return value
    }

    var text: String? { isFinite ? description : nil }
    static var textType: ValueDescription { DecimalText.type }
}
