/// Escapes keys that XML cannot represent.
///
/// XML 1.0 excludes most control characters, U+FFFE and U+FFFF. A key with such characters, and a key that begins with
/// ``prefix``, is written as the prefix followed by the key, in which the UTF-8 bytes of those characters and of `%`
/// are percent-encoded. Other programs see the escaped key; all other keys are written unchanged.
///
/// The writer encodes and the readers decode the keys of dictionaries at every level, in both formats, so a file that
/// another tool has converted between XML and binary has the same keys. For every Swift string, `decode(encode(key))`
/// is `key`, scalar by scalar.
package enum PropertyListKey {
    /// The beginning of an escaped key.
    package static let prefix = "SettingsKit-escaped:"

    /// Returns the written form of `key`, which is usually `key` itself. Linear time.
    package static func encode(_ key: String) -> String {
        guard key.utf8.starts(with: prefix.utf8) || !XMLCharacters.canHold(key) else { return key }
        var text: [UInt8] = Array(prefix.utf8)
        for scalar in key.unicodeScalars {
            if scalar == "%" || XMLCharacters.isForbidden(scalar) {
                for byte in String(scalar).utf8 {
                    text += [UInt8(ascii: "%"), hexadecimal(byte >> 4), hexadecimal(byte & 0xF)]
                }
            } else {
                text.append(contentsOf: String(scalar).utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the key that was written as `text`. Linear time.
    ///
    /// A text that begins with the prefix but is not an output of ``encode(_:)`` was not written by this library, and
    /// is itself the key.
    package static func decode(_ text: String) -> String {
        guard text.utf8.starts(with: prefix.utf8) else { return text }
        let source = Array(text.utf8.dropFirst(prefix.utf8.count))
        var bytes: [UInt8] = []
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
                let high = source[index + 1].digit(radix: 16),
                let low = source[index + 2].digit(radix: 16)
            {
                bytes.append(UInt8(high << 4 | low))
                index += 3
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        let key = String(decoding: bytes, as: UTF8.self)
        return encode(key).utf8.elementsEqual(text.utf8) ? key : text
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
    }
}
