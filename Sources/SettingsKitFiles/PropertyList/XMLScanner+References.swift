extension XMLScanner {
    /// Reads the character or entity reference that begins here and appends its text, as UTF-8.
    ///
    /// Only the five entities of XML are known, whatever the document type declares. A character reference may name any
    /// Unicode scalar; one without digits is NUL.
    mutating func readReference(into copy: inout [UInt8]) throws(PropertyListError) {
        let start = position
        if matches("&#", at: start) {
            position += 2
            let scalar = try readCharacterReference(startingAt: start)
            copy.append(contentsOf: String(scalar).utf8)
            return
        }
        guard let byte = skipEntity() else {
            throw PropertyListError(bytes.count - start < 6 ? .truncated : .malformed, at: start)
        }
        copy.append(byte)
    }

    /// Moves past the entity reference that begins here and returns its text; nil if it is not known.
    private mutating func skipEntity() -> UInt8? {
        func skip(_ name: StaticString) -> Bool {
            guard matches(name, at: position) else { return false }
            position += name.utf8CodeUnitCount
            return true
        }
        if skip("&amp;") { return UInt8(ascii: "&") }
        if skip("&lt;") { return UInt8(ascii: "<") }
        if skip("&gt;") { return UInt8(ascii: ">") }
        if skip("&quot;") { return UInt8(ascii: "\"") }
        if skip("&apos;") { return UInt8(ascii: "'") }
        return nil
    }

    /// Reads the scalar of a reference, whose digits begin here, in decimal or after `x` in hexadecimal.
    private mutating func readCharacterReference(startingAt start: Int) throws(PropertyListError) -> Unicode.Scalar {
        var radix: UInt32 = 10
        if position < bytes.count, bytes[position] == UInt8(ascii: "x") {
            radix = 16
            position += 1
        }
        var code: UInt32 = 0
        while position < bytes.count, let digit = bytes[position].digit(radix: radix) {
            code = code * radix + digit
            guard code <= 0x10FFFF else { throw PropertyListError(.malformed, at: start) }
            position += 1
        }
        guard position < bytes.count else { throw unexpected(at: position) }
        guard bytes[position] == UInt8(ascii: ";"), let scalar = Unicode.Scalar(code) else {
            throw PropertyListError(.malformed, at: start)
        }
        position += 1
        return scalar
    }
}
