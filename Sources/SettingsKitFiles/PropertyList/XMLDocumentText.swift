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
    /// Whether the file is not in UTF-8, so that offsets in ``bytes`` are not offsets in the file.
    let isTranscoded: Bool

    /// Throws `unsupportedEncoding` for UTF-16 without a byte order mark, for UTF-32, and for text that is not ASCII in another
    /// encoding that is declared.
    init(_ data: Data) throws(PropertyListError) {
        self.init(data, in: try Encoding(of: data))
    }

    private init(_ data: Data, in encoding: Encoding) {
        switch encoding {
        case .utf8(let start):
            bytes = Array(data)
            self.start = start
        case .utf16(let isBigEndian):
            bytes = Self.utf8(fromUTF16: Array(data), isBigEndian: isBigEndian)
            start = 0
        }
        isTranscoded = if case .utf8 = encoding { false } else { true }
    }

    // MARK: The encoding

    private enum Encoding: Equatable {
        case utf8(start: Int)
        case utf16(isBigEndian: Bool)

        /// A byte order mark counts, then the declaration.
        init(of data: Data) throws(PropertyListError) {
            let head = Array(data.prefix(4))
            switch (head.first, head.dropFirst().first) {
            case (0xFF, 0xFE) where head == [0xFF, 0xFE, 0, 0], (0, 0) where head == [0, 0, 0xFE, 0xFF]:
                throw PropertyListError(.unsupportedEncoding, at: 0)
            case (0xFF, 0xFE): self = .utf16(isBigEndian: false)
            case (0xFE, 0xFF): self = .utf16(isBigEndian: true)
            case (0x3C, 0) where head.count == 4, (0, 0x3C) where head.count == 4:
                throw PropertyListError(.unsupportedEncoding, at: 0)
            case (0xEF, 0xBB) where head[2...].first == 0xBF: self = .utf8(start: 3)
            default:
                // ASCII is the same in most encodings.
                let name = Self.declaredName(in: data)
                guard [nil, "utf-8", "utf8"].contains(name) || name != "utf-7" && data.allSatisfy({ $0 < 0x80 }) else {
                    throw PropertyListError(.unsupportedEncoding, at: 0)
                }
                self = .utf8(start: 0)
            }
        }

        /// The encoding that the XML declaration at the beginning names, in lower case; nil if there is no declaration, or if it
        /// names none in quotation marks.
        private static func declaredName(in data: Data) -> String? {
            guard data.starts(with: "<?xml".utf8) else { return nil }
            let declaration = Array(data.prefix { $0 != UInt8(ascii: ">") })
            let field = Array("encoding=".utf8)
            var index = 0
            while index + field.count < declaration.count {
                guard declaration[index...].starts(with: field) else {
                    index += 1
                    continue
                }
                let mark = declaration[index + field.count]
                guard mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") else { return nil }
                let rest = declaration[(index + field.count + 1)...]
                return rest.firstIndex(of: mark).map { String(decoding: rest[..<$0], as: UTF8.self).lowercased() }
            }
            return nil
        }
    }

    // MARK: Converting

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
