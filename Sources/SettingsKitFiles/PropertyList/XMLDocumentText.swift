#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The text of an XML file as UTF-8 bytes.
///
/// UTF-8 is used as it is, with or without a byte order mark, and not checked: the parser checks every string that it
/// creates. UTF-16 and UTF-32, which must begin with a byte order mark, ISO-8859-1 and windows-1252, which the XML declaration
/// must name, are converted to UTF-8.
struct XMLDocumentText {
    let bytes: [UInt8]
    /// The beginning of the text, after the byte order mark, if there is one.
    let start: Int
    /// Whether the file is not in UTF-8, so that offsets in ``bytes`` are not offsets in the file.
    let isTranscoded: Bool

    /// Throws `unsupportedEncoding` for UTF-16 and UTF-32 without a byte order mark, and for text that is not ASCII in an
    /// encoding that is declared and not one of the above.
    init(_ data: Data) throws(PropertyListError) {
        self.init(data, in: try Encoding(of: data))
    }

    /// The text of a damaged file: one in an unsupported encoding, too, of which what is ASCII can be read.
    init(recovering data: Data) {
        do throws(PropertyListError) {
            try self.init(data)
        } catch {
            self.init(data, in: .utf8(start: 0))
        }
    }

    private init(_ data: Data, in encoding: Encoding) {
        switch encoding {
        case .utf8(let start):
            bytes = Array(data)
            self.start = start
        case .utf16(let isBigEndian):
            bytes = Self.utf8(fromUTF16: Array(data), isBigEndian: isBigEndian)
            start = 0
        case .utf32(let isBigEndian):
            bytes = Self.utf8(fromUTF32: Array(data), isBigEndian: isBigEndian)
            start = 0
        case .latin1, .windows1252:
            bytes = Self.utf8(fromLatin1: data, replacing: encoding == .latin1 ? [] : Self.windows1252)
            start = 0
        }
        isTranscoded = if case .utf8 = encoding { false } else { true }
    }

    // MARK: The encoding

    private enum Encoding: Equatable {
        case utf8(start: Int)
        case utf16(isBigEndian: Bool)
        case utf32(isBigEndian: Bool)
        case latin1
        case windows1252

        /// A byte order mark counts, then the declaration.
        init(of data: Data) throws(PropertyListError) {
            let head = Array(data.prefix(4))
            switch (head.first, head.dropFirst().first) {
            case (0xFF, 0xFE) where head == [0xFF, 0xFE, 0, 0]: self = .utf32(isBigEndian: false)
            case (0xFF, 0xFE): self = .utf16(isBigEndian: false)
            case (0xFE, 0xFF): self = .utf16(isBigEndian: true)
            case (0, 0) where head == [0, 0, 0xFE, 0xFF]: self = .utf32(isBigEndian: true)
            case (0x3C, 0) where head.count == 4, (0, 0x3C) where head.count == 4:
                throw PropertyListError(.unsupportedEncoding, at: 0)
            case (0xEF, 0xBB) where head[2...].first == 0xBF: self = .utf8(start: 3)
            default: self = try Encoding(declaredIn: data)
            }
        }

        /// The names are those that the Internet Assigned Numbers Authority lists, in any case.
        private init(declaredIn data: Data) throws(PropertyListError) {
            switch Self.declaredName(in: data) {
            case nil, "utf-8", "utf8":
                self = .utf8(start: 0)
            case "iso-8859-1", "iso_8859-1", "iso_8859-1:1987", "iso8859-1", "iso-ir-100", "latin1", "l1", "cp819",
                "ibm819",
                "csisolatin1", "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "iso-ir-6", "cp367", "ibm367",
                "csascii":
                self = .latin1
            case "windows-1252", "cp1252":
                self = .windows1252
            case let name:
                guard name != "utf-7", data.allSatisfy({ $0 < 0x80 }) else {
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

    /// Converts the UTF-32 text after the byte order mark to UTF-8, as ``utf8(fromUTF16:isBigEndian:)``.
    private static func utf8(fromUTF32 source: [UInt8], isBigEndian: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(source.count / 2)
        for index in stride(from: 4, to: source.count, by: 4) {
            let unit = source[index..<min(index + 4, source.count)]
            let digits = isBigEndian ? Array(unit) : unit.reversed()
            append(unit.count == 4 ? digits.reduce(0) { $0 << 8 | UInt32($1) } : .max, to: &output)
        }
        return output
    }

    /// Converts ISO-8859-1, or another encoding that has its own scalars from 0x80 on.
    private static func utf8(fromLatin1 source: Data, replacing scalars: [UInt32]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(source.count + source.count / 8)
        for byte in source {
            if byte < 0x80 {
                output.append(byte)
            } else {
                let place = Int(byte) - 0x80
                append(place < scalars.count ? scalars[place] : UInt32(byte), to: &output)
            }
        }
        return output
    }

    /// What windows-1252 has from 0x80 to 0x9F, by https://encoding.spec.whatwg.org/index-windows-1252.txt.
    private static let windows1252: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
        0x017E, 0x0178,
    ]

    private static func append(_ code: UInt32, to output: inout [UInt8]) {
        if let scalar = Unicode.Scalar(code) {
            output.append(contentsOf: String(scalar).utf8)
        } else {
            output.append(0xFF)
        }
    }
}
