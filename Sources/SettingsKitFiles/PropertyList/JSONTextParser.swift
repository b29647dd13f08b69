import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the native value of a compact JSON text.
///
/// The caller checks that the value's text has the same bytes, which excludes every other spelling than that of
/// ``JSONText``. The parser refuses text for which it has no value. The depth is limited to that of a property list, so
/// the recursion is bounded.
struct JSONTextParser {
    private var scanner: JSONScanner
    private let allowsFractions: Bool

    /// - Parameter allowsFractions: Whether a date may have a fraction of a second.
    init(_ scanner: JSONScanner, allowsFractions: Bool) {
        (self.scanner, self.allowsFractions) = (scanner, allowsFractions)
    }

    /// Returns the value of the whole text, or nil if there is none. If the text allows several kinds, the value
    /// resembles `old`, as ``NativeValue/value(for:resembling:)`` describes.
    mutating func parseText(resembling old: PropertyListValue?) -> PropertyListValue? {
        // Data outside arrays and dictionaries is stored as its bytes, never as a JSON string.
        var old = old
        if case .data = old { old = nil }
        guard let value = parseValue(resembling: old, depth: 1), scanner.isAtEnd else { return nil }
        return value
    }

    /// Reads the value that begins here. `depth` is the number of arrays and dictionaries around it, including the
    /// outermost dictionary of the file.
    private mutating func parseValue(resembling old: PropertyListValue?, depth: Int) -> PropertyListValue? {
        switch scanner.next {
        case UInt8(ascii: "{"): depth < PropertyListLimits.depth ? parseObject(resembling: old, depth: depth) : nil
        case UInt8(ascii: "["): depth < PropertyListLimits.depth ? parseArray(resembling: old, depth: depth) : nil
        case UInt8(ascii: "\""): parseString(resembling: old)
        case UInt8(ascii: "t"): scanner.skip(word: "true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): scanner.skip(word: "false") ? .boolean(false) : nil
        default: parseNumber(resembling: old)
        }
    }

    private mutating func parseArray(resembling old: PropertyListValue?, depth: Int) -> PropertyListValue? {
        var values: [PropertyListValue] = []
        let oldValues = if case .array(let old) = old { old } else { [] as [PropertyListValue] }
        _ = scanner.skip("[")
        if scanner.skip("]") { return .array([]) }
        repeat {
            let old = values.count < oldValues.count ? oldValues[values.count] : nil
            guard let value = parseValue(resembling: old, depth: depth + 1) else { return nil }
            values.append(value)
        } while scanner.skip(",")
        return scanner.skip("]") ? .array(values) : nil
    }

    private mutating func parseObject(resembling old: PropertyListValue?, depth: Int) -> PropertyListValue? {
        var members: [PropertyListMember] = []
        var oldValues: [String: PropertyListValue] = [:]
        if case .dictionary(let old) = old { for member in old { oldValues[member.key] = member.value } }
        _ = scanner.skip("{")
        if scanner.skip("}") { return .dictionary([]) }
        repeat {
            guard let key = scanner.readString(), scanner.skip(":"),
                let value = parseValue(resembling: oldValues[key], depth: depth + 1)
            else { return nil }
            members.append(PropertyListMember(key: key, value: value))
        } while scanner.skip(",")
        guard scanner.skip("}"), !members.hasRepeatedKey() else { return nil }
        return .dictionary(members)
    }

    private mutating func parseString(resembling old: PropertyListValue?) -> PropertyListValue? {
        guard let string = scanner.readString() else { return nil }
        switch old {
        case .data:
            let data = Data(base64Encoded: string)
            return data?.base64EncodedString() == string ? data.map { .data($0) } : .string(string)
        case .date: return date(string).map { .date($0) } ?? .string(string)
        default: return .string(string)
        }
    }

    /// Returns the seconds of a date whose text is exactly this; nil if the property list cannot hold it.
    private func date(_ text: String) -> Double? {
        guard let date = Date(iso8601: text), date.iso8601 == text else { return nil }
        let seconds = date.timeIntervalSinceReferenceDate
        let isWhole = GregorianDate.writableSeconds.contains(seconds) && seconds == seconds.rounded(.down)
        return allowsFractions || isWhole ? seconds : nil
    }

    /// Reads a number: of the kind of `old` if its text is the same, otherwise a whole number if the text is one, otherwise a real.
    private mutating func parseNumber(resembling old: PropertyListValue?) -> PropertyListValue? {
        if case .real(let number) = old, !number.isFinite {
            // Not JSON, but the text of such a real, which stays unchanged.
            if scanner.skip(word: number.isNaN ? "nan" : number < 0 ? "-inf" : "inf") { return old }
        }
        guard let range = scanner.skipNumber(), let number = scanner.double(in: range), number.isFinite else {
            return nil
        }
        let text = scanner.bytes[range]
        if case .real = old, NumberText.json(number).utf8.elementsEqual(text) { return .real(number) }
        // Minus zero is a real: a whole number would lose its sign.
        if !text.elementsEqual("-0".utf8) {
            if let number: Int64 = scanner.integer(in: range) { return .integer(number) }
            if let number: UInt64 = scanner.integer(in: range) { return .unsigned(number) }
        }
        return .real(number)
    }
}
