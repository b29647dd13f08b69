/// The characters that XML 1.0 excludes (section 2.2 of the recommendation, "Characters").
enum XMLCharacters {
    /// Whether XML 1.0 excludes `scalar`, also as a character reference.
    static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: false
        case 0..<0x20, 0xFFFE, 0xFFFF: true
        default: false
        }
    }

    /// Whether an XML 1.0 document can contain every character of `string`. Linear time.
    static func canHold(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { buffer in
            var index = 0
            while index < buffer.count {
                if isForbidden(at: index, in: buffer) { return false }
                index += 1
            }
            return true
        }
    }

    /// Whether an excluded character begins at `index` of valid UTF-8.
    static func isForbidden(at index: Int, in buffer: UnsafeBufferPointer<UInt8>) -> Bool {
        let byte = buffer[index]
        if byte < 0x20 { return byte != 0x09 && byte != 0x0A && byte != 0x0D }
        // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
        return byte == 0xEF && buffer.count - index > 2 && buffer[index + 1] == 0xBF && buffer[index + 2] >= 0xBE
    }
}
