#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the objects of a binary property list, and checks every access against the bounds of the file.
///
/// The file has eight bytes, `bplist0` and a version, which CoreFoundation ignores; the objects; a table with the offset of each
/// object; and a trailer of 32 bytes, with the sizes of offsets and references, the number of objects, the outermost object, and
/// the beginning of the table. All numbers are big-endian.
///
/// An object is read again for each reference to it. ``PropertyListLimits`` bounds how much all references stand for, and the depth:
/// an object that contains itself is too deep.
struct BinaryPropertyListParser {
    private static let headerLength = 8
    private static let trailerLength = 32

    private let bytes: [UInt8]
    private let objectCount: Int
    private let topObject: Int
    private let offsetSize: Int
    private let referenceSize: Int
    /// The beginning of the table of offsets, which is the end of the objects.
    private let tableOffset: Int
    /// How many values, and how many bytes of strings and data, may still be read.
    private var remainingValues: Int
    private var remainingBytes: Int

    /// Throws `truncated` if there is no room for a trailer, and `malformed` if the trailer contradicts itself or the
    /// length of the file.
    init(_ bytes: [UInt8]) throws(PropertyListError) {
        let trailer = bytes.count - Self.trailerLength
        guard trailer > Self.headerLength + 1 else { throw PropertyListError(.truncated, at: bytes.count) }
        self.bytes = bytes
        func number(_ offset: Int) -> Int { Int(clamping: Self.number(in: bytes[(trailer + offset)...].prefix(8))) }
        (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        (objectCount, topObject, tableOffset) = (number(8), number(16), number(24))
        guard offsetSize > 0, referenceSize > 0, tableOffset > Self.headerLength, tableOffset < trailer,
            objectCount <= (trailer - tableOffset) / offsetSize, topObject < objectCount
        else { throw PropertyListError(.malformed, at: trailer) }
        remainingValues = PropertyListLimits.expandedValues(fileSize: bytes.count)
        remainingBytes = PropertyListLimits.expandedBytes(fileSize: bytes.count)
    }

    /// Returns the value of the outermost object.
    mutating func parseDocument() throws(PropertyListError) -> PropertyListValue {
        try value(of: topObject, depth: 0)
    }

    /// Returns the value of an object.
    ///
    /// - Parameter depth: The number of arrays and dictionaries around it.
    private mutating func value(of object: Int, depth: Int) throws(PropertyListError) -> PropertyListValue {
        let entry = tableOffset + object * offsetSize
        let offset = Int(clamping: Self.number(in: bytes[entry..<(entry + offsetSize)]))
        guard offset >= Self.headerLength, offset < tableOffset else { throw PropertyListError(.malformed, at: entry) }
        try count(values: 1)
        return switch bytes[offset] >> 4 {
        // Sets become arrays, because Swift's property lists have no sets.
        case 0xA, 0xB, 0xC: try array(at: offset, depth: depth)
        case 0xD: try dictionary(at: offset, depth: depth)
        default: try scalar(at: offset)
        }
    }

    private mutating func array(at offset: Int, depth: Int) throws(PropertyListError) -> PropertyListValue {
        let references = try references(at: offset, perItem: 1, depth: depth)
        var values: [PropertyListValue] = []
        for reference in stride(from: references.lowerBound, to: references.upperBound, by: referenceSize) {
            values.append(try value(of: object(at: reference), depth: depth + 1))
        }
        return .array(values)
    }

    /// First come the references to all keys, then those to all values.
    private mutating func dictionary(at offset: Int, depth: Int) throws(PropertyListError) -> PropertyListValue {
        let references = try references(at: offset, perItem: 2, depth: depth)
        var members: [PropertyListMember] = []
        let middle = references.lowerBound + references.count / 2
        for key in stride(from: references.lowerBound, to: middle, by: referenceSize) {
            guard case .string(let text) = try value(of: object(at: key), depth: depth + 1) else {
                throw PropertyListError(.malformed, at: key)
            }
            let value = try value(of: object(at: key + references.count / 2), depth: depth + 1)
            members.append(PropertyListMember(key: PropertyListKey.decode(text), value: value))
        }
        return .dictionary(members.keepingLastOfEachKey())
    }

    /// Returns the range of the references of an array or a dictionary.
    private func references(at offset: Int, perItem: Int, depth: Int) throws(PropertyListError) -> Range<Int> {
        guard depth < PropertyListLimits.depth else { throw PropertyListError(.tooDeep, at: offset) }
        return try contents(at: offset, itemSize: perItem * referenceSize)
    }

    /// Returns the object of the reference at `offset`.
    private func object(at offset: Int) throws(PropertyListError) -> Int {
        let object = Int(clamping: Self.number(in: bytes[offset..<(offset + referenceSize)]))
        guard object < objectCount else { throw PropertyListError(.malformed, at: offset) }
        return object
    }

    private mutating func scalar(at offset: Int) throws(PropertyListError) -> PropertyListValue {
        let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0x0F))
        var value: PropertyListValue?
        switch (kind, low) {
        case (0x0, 8), (0x0, 9): return .boolean(low == 9)
        case (0x1, 0...4):
            let number = Self.number(in: try range(from: offset + 1, count: 1 << low))
            // Up to four bytes are unsigned.
            value = .wholeNumber(
                low == 3 ? Int128(Int64(truncatingIfNeeded: number)) : Int128(truncatingIfNeeded: number))
        case (0x2, 2):
            let bits = Self.number(in: try range(from: offset + 1, count: 4))
            return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case (0x2, 3): return .real(try double(at: offset + 1))
        case (0x3, 3): return .date(try double(at: offset + 1))
        case (0x4, _): return .data(Data(bytes[try payload(at: offset, itemSize: 1)]))
        case (0x5, _):
            value = String(validating: bytes[try payload(at: offset, itemSize: 1)], as: UTF8.self).map { .string($0) }
        case (0x6, _):
            let range = try payload(at: offset, itemSize: 2)
            let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return .string(String(decoding: units, as: UTF16.self))
        case (0x8, _):
            // A reference inside a keyed archive, in the form in which plutil writes it to XML.
            let number = Self.number(in: try range(from: offset + 1, count: low + 1))
            value = PropertyListValue.wholeNumber(Int128(truncatingIfNeeded: number)).map { number in
                .dictionary([PropertyListMember(key: "CF$UID", value: number)])
            }
        default: break
        }
        guard let value else { throw PropertyListError(.malformed, at: offset) }
        return value
    }

    private func double(at offset: Int) throws(PropertyListError) -> Double {
        Double(bitPattern: UInt64(truncatingIfNeeded: Self.number(in: try range(from: offset, count: 8))))
    }

    // MARK: Bytes

    /// Returns the range of the bytes of the string or data at `offset`.
    private mutating func payload(at offset: Int, itemSize: Int) throws(PropertyListError) -> Range<Int> {
        let range = try contents(at: offset, itemSize: itemSize)
        try count(bytes: range.count)
        return range
    }

    /// Returns the range of the items of `itemSize` bytes of the object at `offset`.
    private func contents(at offset: Int, itemSize: Int) throws(PropertyListError) -> Range<Int> {
        var count = Int(bytes[offset] & 0x0F)
        var start = offset + 1
        if count == 0x0F {
            // The count did not fit into the marker, and follows as an integer object.
            guard start < tableOffset, bytes[start] & 0xF0 == 0x10, bytes[start] & 0x0F <= 4 else {
                throw PropertyListError(.malformed, at: start)
            }
            let number = try range(from: start + 1, count: 1 << Int(bytes[start] & 0x0F))
            (count, start) = (Int(clamping: Self.number(in: number)), number.endIndex)
        }
        guard count <= (tableOffset - start) / itemSize else { throw PropertyListError(.malformed, at: offset) }
        return start..<(start + count * itemSize)
    }

    private func range(from start: Int, count: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
        guard count <= tableOffset - start else { throw PropertyListError(.malformed, at: start) }
        return bytes[start..<(start + count)]
    }

    /// Returns a number. Of more than sixteen bytes, the last sixteen count.
    private static func number(in bytes: ArraySlice<UInt8>) -> UInt128 {
        bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    private mutating func count(values: Int = 0, bytes: Int = 0) throws(PropertyListError) {
        remainingValues -= values
        remainingBytes -= bytes
        if remainingValues < 0 || remainingBytes < 0 { throw PropertyListError(.tooLarge) }
    }
}
