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

    /// JSON in the form that the library writes: without white space, and with the escapes that `JSONEncoder` writes. Numbers
    /// and the order of members stay.
    ///
    /// - Returns: nil if the bytes are not one JSON value, or have half a surrogate pair.
    package static func canonicalJSON(of bytes: Data) -> Data? {
        JSONScanner.scan(bytes) { scanner in
            guard let range = scanner.skipValue(), scanner.isAtEnd else { return nil }
            return canonicalJSON(range, in: scanner.bytes)
        }
    }

    /// - Parameter range: The range of one valid JSON value.
    package static func canonicalJSON(_ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Data? {
        var scanner = JSONScanner(bytes, range)
        var output = Data(capacity: range.count)
        while let byte = scanner.next {
            if byte == UInt8(ascii: "\"") {
                guard let text = scanner.readString() else { return nil }
                output += json(ofString: text)
            } else {
                _ = scanner.skip(Unicode.Scalar(byte))
                if byte != 0x20 && byte != 0x09 { output.append(byte) }
            }
        }
        return output
    }

    /// The stored bytes of a string.
    package static func json(ofString text: String) -> Data { NativeValue.bytes(of: .string(text)) }

    /// The string in stored bytes, if they are exactly its stored form.
    package static func string(of bytes: Data) -> String? {
        guard bytes.first == UInt8(ascii: "\"") else { return nil }
        let text = JSONScanner.scan(bytes) { scanner in
            let text = scanner.readString()
            return scanner.isAtEnd ? text : nil
        }
        return text.flatMap { json(ofString: $0) == bytes ? $0 : nil }
    }
}
