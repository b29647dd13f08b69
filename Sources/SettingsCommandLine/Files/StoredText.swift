import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decides which stored bytes a text format can show.
package enum StoredText {
    /// The text of stored bytes, if they are JSON exactly as the library writes it, so that the text restores the same bytes.
    package static func json(of bytes: Data) -> String? {
        guard let canonical = canonicalJSON(of: bytes), canonical == bytes else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// JSON in the form that the library writes: without white space and comments, and with the escapes that `JSONEncoder` writes. Numbers
    /// and the order of members stay.
    ///
    /// - Returns: nil if the bytes are not one JSON value, or have half a surrogate pair.
    package static func canonicalJSON(of bytes: Data) -> Data? {
        JSONScanner.scan(bytes, layout: .file) { scanner in
            guard let range = scanner.skipValue() else { return nil }
            scanner.skipSpace()
            return scanner.isAtEnd ? canonicalJSON(range, in: scanner.bytes) : nil
        }
    }

    /// - Parameter range: The range of one valid JSON value.
    package static func canonicalJSON(_ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Data? {
        var scanner = JSONScanner(bytes, range, layout: .file)
        var output = Data(capacity: range.count)
        scanner.skipSpace()
        while let byte = scanner.next {
            if byte == UInt8(ascii: "\"") {
                guard let text = scanner.readString() else { return nil }
                output += json(ofString: text)
            } else {
                _ = scanner.skip(Unicode.Scalar(byte))
                output.append(byte)
            }
            scanner.skipSpace()
        }
        return output
    }

    /// The stored bytes of a string.
    package static func json(ofString text: String) -> Data { NativeValue.bytes(of: .string(text)) }
}
