#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The text of an XML file as UTF-8 bytes.
///
/// UTF-8 is used as it is, with or without a byte order mark, and not checked: the parser checks every string that it
/// creates. UTF-16, which must begin with a byte order mark, is converted to UTF-8.
struct XMLDocumentText {
    let bytes: [UInt8]
    /// The beginning of the text, after the byte order mark, if there is one.
    let start: Int
    /// Whether the file is in UTF-16, so that offsets in ``bytes`` are not offsets in the file.
    let isTranscoded: Bool

    /// Throws `unsupportedEncoding` for UTF-32, and for UTF-16 without a byte order mark.
    init(_ data: Data) throws(PropertyListError) {
        let head = Array(data.prefix(4))
        switch (head.first, head.dropFirst().first) {
        case (0xFF, 0xFE) where head.count == 4 && head[2] == 0 && head[3] == 0:
            throw PropertyListError(.unsupportedEncoding, at: 0)
        case (0xFF, 0xFE), (0xFE, 0xFF):
            bytes = Self.utf8(fromUTF16: Array(data), isBigEndian: head[0] == 0xFE)
            start = 0
            isTranscoded = true
        case (0x3C, 0) where head.count == 4, (0, 0x3C) where head.count == 4, (0, 0) where head[2...] == [0xFE, 0xFF]:
            throw PropertyListError(.unsupportedEncoding, at: 0)
        default:
            bytes = Array(data)
            start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            isTranscoded = false
        }
    }

    /// Converts the UTF-16 text after the byte order mark to UTF-8. Invalid text (half a surrogate pair, half a code
    /// unit at the end) becomes a byte 0xFF, which UTF-8 never contains, so that it is refused.
    private static func utf8(fromUTF16 source: [UInt8], isBigEndian: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(source.count)
        let high = isBigEndian ? 0 : 1
        var index = 2
        while index + 1 < source.count {
            let unit = UInt32(source[index + high]) << 8 | UInt32(source[index + 1 - high])
            index += 2
            switch unit {
            case 0..<0x80:
                output.append(UInt8(truncatingIfNeeded: unit))
            case 0xD800..<0xDC00 where index + 1 < source.count:
                let low = UInt32(source[index + high]) << 8 | UInt32(source[index + 1 - high])
                if low & 0xFC00 == 0xDC00 {
                    index += 2
                    append(0x10000 + ((unit & 0x3FF) << 10 | low & 0x3FF), to: &output)
                } else {
                    output.append(0xFF)
                }
            default:
                append(unit, to: &output)
            }
        }
        if index < source.count { output.append(0xFF) }
        return output
    }

    private static func append(_ code: UInt32, to output: inout [UInt8]) {
        if let scalar = Unicode.Scalar(code) {
            output.append(contentsOf: String(scalar).utf8)
        } else {
            output.append(0xFF)
        }
    }
}
