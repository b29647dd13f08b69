#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The text of an XML file as UTF-8 bytes, in which every line ends with a line feed.
///
/// The text is UTF-8, with or without a byte order mark, or UTF-16 with one. The declaration of another encoding does not count: text
/// that is not UTF-8 is refused.
struct XMLDocumentText {
    let bytes: [UInt8]
    /// The beginning of the text, after the byte order mark, if there is one.
    let start: Int
    /// Whether the bytes are others than those of the file, so that offsets in ``bytes`` are not offsets in the file.
    let isConverted: Bool

    /// Throws `malformed` for text that is not valid.
    init(_ data: Data) throws(PropertyListError) {
        let isUTF16 = data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF])
        let bytes = isUTF16 ? try Self.utf8(fromUTF16: Array(data)) : Array(data)
        start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        isConverted = isUTF16 || bytes.contains(UInt8(ascii: "\r"))
        self.bytes = isConverted ? Self.withLineFeeds(bytes) : bytes
        if String(validating: self.bytes, as: UTF8.self) == nil {
            // Replacement characters are in place of invalid bytes.
            let valid = zip(self.bytes, String(decoding: self.bytes, as: UTF8.self).utf8).prefix { $0 == $1 }
            throw PropertyListError(.malformed, at: valid.count).located(in: self)
        }
    }

    private static func utf8(fromUTF16 source: [UInt8]) throws(PropertyListError) -> [UInt8] {
        let high = source[0] == 0xFE ? 0 : 1
        let units = stride(from: 2, to: source.count - 1, by: 2).map {
            UInt16(source[$0 + high]) << 8 | UInt16(source[$0 + 1 - high])
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw PropertyListError(.malformed) }
        return Array(text.utf8)
    }

    /// Replaces carriage returns, also those before a line feed, as XML requires.
    private static func withLineFeeds(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var previous: UInt8 = 0
        for byte in bytes {
            if byte != UInt8(ascii: "\n") || previous != UInt8(ascii: "\r") {
                output.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte)
            }
            previous = byte
        }
        return output
    }
}
