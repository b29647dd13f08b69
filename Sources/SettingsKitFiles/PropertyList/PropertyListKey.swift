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
        var text = prefix
        for scalar in key.unicodeScalars {
            if scalar == "%" || !XMLCharacters.canHold(String(scalar)) {
                for byte in String(scalar).utf8 {
                    text += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
                }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Returns the key that was written as `text`. Linear time.
    ///
    /// A text that begins with the prefix but is not an output of ``encode(_:)`` was not written by this library, and
    /// is itself the key.
    package static func decode(_ text: String) -> String {
        guard text.utf8.starts(with: prefix.utf8) else { return text }
        var source = Array(text.utf8.dropFirst(prefix.utf8.count))[...]
        var bytes: [UInt8] = []
        while let byte = source.popFirst() {
            let digits = String(decoding: source.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), let escaped = UInt8(digits, radix: 16) {
                bytes.append(escaped)
                source = source.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        let key = String(decoding: bytes, as: UTF8.self)
        return encode(key).utf8.elementsEqual(text.utf8) ? key : text
    }
}
