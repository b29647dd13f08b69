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
    let bytes: [UInt8]
    private var position = 0

    init(_ data: Data) {
        bytes = Array(data)
    }

    /// Returns the value of the whole text, or nil if there is none. If the text allows several kinds, the value
    /// resembles `old`, as ``NativeValue/value(for:resembling:)`` describes.
    mutating func parseText(resembling old: PropertyListValue?) -> PropertyListValue? {
        // Data outside arrays and dictionaries is stored as its bytes, never as a JSON string.
        var old = old
        if case .data = old { old = nil }
        guard let value = parseValue(resembling: old, depth: 1), position == bytes.count else { return nil }
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard bytes.count - position >= length,
            word.withUTF8Buffer({ $0.elementsEqual(bytes[position..<(position + length)]) })
        else { return false }
        position += length
        return true
    }

    /// Reads the value that begins here. `depth` is the number of arrays and dictionaries around it, including the
    /// outermost dictionary of the file.
    private mutating func parseValue(resembling old: PropertyListValue?, depth: Int) -> PropertyListValue? {
        switch next {
        case UInt8(ascii: "{"): depth < PropertyListLimits.depth ? parseObject(resembling: old, depth: depth) : nil
        case UInt8(ascii: "["): depth < PropertyListLimits.depth ? parseArray(resembling: old, depth: depth) : nil
        case UInt8(ascii: "\""): parseString(resembling: old)
        case UInt8(ascii: "t"): skip("true" as StaticString) ? .boolean(true) : nil
        case UInt8(ascii: "f"): skip("false" as StaticString) ? .boolean(false) : nil
        default: parseNumber(resembling: old)
        }
    }

    private mutating func parseArray(resembling old: PropertyListValue?, depth: Int) -> PropertyListValue? {
        var values: [PropertyListValue] = []
        var oldValues: [PropertyListValue] = []
        if case .array(let array) = old { oldValues = array }
        position += 1
        if skip("]" as Unicode.Scalar) { return .array([]) }
        repeat {
            let old = values.count < oldValues.count ? oldValues[values.count] : nil
            guard let value = parseValue(resembling: old, depth: depth + 1) else { return nil }
            values.append(value)
        } while skip("," as Unicode.Scalar)
        return skip("]" as Unicode.Scalar) ? .array(values) : nil
    }

    private mutating func parseObject(resembling old: PropertyListValue?, depth: Int) -> PropertyListValue? {
        var members: [PropertyListMember] = []
        var oldMembers = OldMembers(old)
        position += 1
        if skip("}" as Unicode.Scalar) { return .dictionary([]) }
        repeat {
            guard let key = JSONStringParser.parse(bytes, at: &position), skip(":" as Unicode.Scalar),
                let value = parseValue(resembling: oldMembers.value(for: key), depth: depth + 1)
            else { return nil }
            members.append(PropertyListMember(key: key, value: value))
        } while skip("," as Unicode.Scalar)
        guard skip("}" as Unicode.Scalar), !members.hasRepeatedKey() else { return nil }
        return .dictionary(members)
    }

    private mutating func parseString(resembling old: PropertyListValue?) -> PropertyListValue? {
        let start = position + 1
        guard let string = JSONStringParser.parse(bytes, at: &position) else { return nil }
        guard case .data = old else { return .string(string) }
        let text = XMLText(bytes: bytes, range: start..<(position - 1), isASCII: true)
        guard let data = Base64Text.decode(text) else { return .string(string) }
        var canonical: [UInt8] = []
        Base64Text.append(data, to: &canonical)
        return canonical[...] == bytes[text.range] ? .data(Data(data)) : .string(string)
    }

    private mutating func parseNumber(resembling old: PropertyListValue?) -> PropertyListValue? {
        let start = position
        let rest = bytes[start...]
        if case .real(let number) = old, !number.isFinite {
            // Not JSON, but the text of such a real, which stays unchanged.
            let text = NumberText.shortest(number)
            if rest.starts(with: text.utf8) {
                position += text.utf8.count
                return old
            }
        }
        while let next, Self.isInNumber(next) { position += 1 }
        let text = XMLText(bytes: bytes, range: start..<position, isASCII: true)
        return JSONNumber.value(text, resembling: old)
    }

    private static func isInNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): true
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        default: false
        }
    }
}
