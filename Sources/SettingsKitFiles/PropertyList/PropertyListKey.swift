/// The escape by which XML property lists hold keys that XML cannot hold.
///
/// XML 1.0 has no place for most control characters and for U+FFFE and U+FFFF. A key with such characters, and a key
/// that begins with ``prefix`` itself, is written as the prefix followed by the key with the UTF-8 bytes of those
/// characters and of `%` percent-encoded. Other programs see the escaped key; all other keys are written as they are.
///
/// The writer encodes and the readers decode the keys of the dictionaries of every level, from both formats, so that
/// a file converted between XML and binary by another tool still gives the same keys. For every Swift string,
/// `decode(encode(key))` is `key`, scalar by scalar.
package enum PropertyListKey {
    /// What an escaped key begins with.
    package static let prefix = "SettingsKit-escaped:"

    /// The form in which `key` is written: most often `key` itself. Linear time.
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

    /// The key that was written as `text`. Linear time.
    ///
    /// A text which begins with the prefix but which ``encode(_:)`` would never give was not written by this library,
    /// and is a key as it stands.
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
