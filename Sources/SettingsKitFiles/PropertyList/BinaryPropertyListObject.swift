import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One object of a binary property list, with unresolved references.
enum BinaryPropertyListObject {
    /// A value without references, and the number of bytes of its string or data in the file.
    case scalar(PropertyListValue, payload: Int)
    /// An array, and the range of its references. A set also becomes an array, because Swift's property lists have no
    /// sets.
    case array(references: Range<Int>, count: Int)
    /// A dictionary, and the range of its references: first those to all keys, then those to all values.
    case dictionary(references: Range<Int>, count: Int)
}

extension BinaryPropertyListLayout {
    /// Reads the object at `offset`, which must be one that ``offset(of:)`` returned.
    func object(at offset: Int) throws(PropertyListError) -> BinaryPropertyListObject {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0 where marker == 0x08 || marker == 0x09:
            return .scalar(.boolean(marker == 0x09), payload: 0)
        case 0x1 where low <= 4:
            let range = try range(from: offset + 1, count: 1, size: 1 << low)
            return .scalar(try integer(in: range), payload: 0)
        case 0x2 where low == 2 || low == 3:
            return .scalar(.real(try real(at: offset + 1, size: 1 << low)), payload: 0)
        case 0x3 where low == 3:
            return .scalar(.date(try real(at: offset + 1, size: 8)), payload: 0)
        case 0x4:
            let range = try contents(at: offset, size: 1).range
            return .scalar(.data(Data(bytes[range])), payload: range.count)
        case 0x5:
            let range = try contents(at: offset, size: 1).range
            return .scalar(.string(asciiString(in: range)), payload: range.count)
        case 0x6:
            let range = try contents(at: offset, size: 2).range
            return .scalar(.string(utf16String(in: range)), payload: range.count)
        case 0x8:
            // A reference inside a keyed archive, in the form in which plutil writes it to XML.
            let range = try range(from: offset + 1, count: 1, size: low + 1)
            let number = unsigned(at: range.lowerBound, size: range.count)
            guard let value = PropertyListValue.wholeNumber(magnitude: number, isNegative: false) else { break }
            return .scalar(.dictionary([PropertyListMember(key: "CF$UID", value: value)]), payload: range.count)
        case 0xA, 0xB, 0xC:
            let (count, range) = try contents(at: offset, size: referenceSize)
            return .array(references: range, count: count)
        case 0xD:
            let (count, range) = try contents(at: offset, size: 2 * referenceSize)
            return .dictionary(references: range, count: count)
        default:
            break
        }
        throw PropertyListError(.malformed, at: offset)
    }

    /// Returns the number of items of `size` bytes of the object at `offset`, and their range.
    private func contents(at offset: Int, size: Int) throws(PropertyListError) -> (count: Int, range: Range<Int>) {
        var count = Int(bytes[offset] & 0x0F)
        var start = offset + 1
        if count == 0x0F {
            // The count did not fit into the marker, and follows as an integer object.
            let marker = try range(from: start, count: 1, size: 1).lowerBound
            guard bytes[marker] & 0xF0 == 0x10, bytes[marker] & 0x0F <= 4 else {
                throw PropertyListError(.malformed, at: marker)
            }
            let number = try range(from: marker + 1, count: 1, size: 1 << Int(bytes[marker] & 0x0F))
            guard let exact = Int(checked: unsigned(at: number.lowerBound, size: number.count)) else {
                throw PropertyListError(.malformed, at: marker)
            }
            count = exact
            start = number.upperBound
        }
        return (count, try range(from: start, count: count, size: size))
    }

    /// Reads the whole number in `range`: unsigned in up to four bytes, signed in eight, and in sixteen if an `Int64`
    /// or `UInt64` can hold it.
    private func integer(in range: Range<Int>) throws(PropertyListError) -> PropertyListValue {
        let low = unsigned(at: range.lowerBound, size: range.count)
        let high = range.count == 16 ? unsigned(at: range.lowerBound, size: 8) : 0
        let signed = Int64(bitPattern: low)
        if range.count <= 8 || high == .max && signed < 0 { return .integer(signed) }
        guard high == 0, let number = PropertyListValue.wholeNumber(magnitude: low, isNegative: false) else {
            throw PropertyListError(.malformed, at: range.lowerBound)
        }
        return number
    }

    private func real(at offset: Int, size: Int) throws(PropertyListError) -> Double {
        let range = try range(from: offset, count: 1, size: size)
        let bits = unsigned(at: range.lowerBound, size: size)
        return size == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
    }

    /// Reads a string with a byte for each character. Bytes that ASCII does not have are those of ISO-8859-1.
    private func asciiString(in range: Range<Int>) -> String {
        var union: UInt8 = 0
        for index in range { union |= bytes[index] }
        if union < 0x80 { return String(decoding: bytes[range], as: UTF8.self) }
        return String(String.UnicodeScalarView(bytes[range].map { Unicode.Scalar($0) }))
    }

    /// Reads the string with the UTF-16 code units in `range`. Half a surrogate pair becomes U+FFFD.
    private func utf16String(in range: Range<Int>) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(range.count / 2)
        for index in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            units.append(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]))
        }
        return String(decoding: units, as: UTF16.self)
    }
}
