#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads JSON text from bytes, token by token. This is the only reader of JSON besides Foundation's decoder.
///
/// It accepts exactly the grammar of RFC 8259: no comments, no comma before a closing bracket, no byte order mark, no control
/// characters in a string, no other encoding than UTF-8. It is narrower than the RFC in two respects: arrays and objects are at
/// most ``CoreLimits/jsonDepth`` levels deep (section 9 permits a limit), and white space consists of spaces and tabs, because
/// stored text is on one line. Half a surrogate pair, which the grammar permits as an escape, is skipped, but it has no string
/// (section 8.2). Numbers of any size are skipped. Text that a person writes has the ``Layout/file`` layout.
///
/// Each function reads the token at ``position`` and moves past it. If another token is there, the function returns nil or false,
/// and the position is undefined unless stated otherwise. No function is recursive. All take linear time. They allocate only
/// returned strings, and a byte for each level of a value.
package struct JSONScanner {
    /// What may stand between the tokens.
    package enum Layout: Sendable {
        /// Spaces and tabs.
        case line
        /// Line breaks and comments as well.
        case file
    }

    package let bytes: UnsafeBufferPointer<UInt8>
    private let layout: Layout
    @usableFromInline let end: Int
    @usableFromInline package internal(set) var position: Int
    /// Whether the strings since the last reset are ASCII.
    private var isASCII = true
    /// Whether the strings since the last reset contain escapes.
    private var hasEscapes = false

    /// Creates a scanner for a range of bytes, which must outlive it.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, layout: Layout = .line) {
        self.bytes = bytes
        self.layout = layout
        position = range.lowerBound
        end = range.upperBound
    }

    /// Calls `body` with a scanner of `data`.
    package static func scan<Result>(
        _ data: Data, layout: Layout = .line, _ body: (inout JSONScanner) throws -> Result
    ) rethrows -> Result {
        try data.withUnsafeBytes { bytes in
            try bytes.withMemoryRebound(to: UInt8.self) { bytes in
                var scanner = JSONScanner(bytes, 0..<bytes.count, layout: layout)
                return try body(&scanner)
            }
        }
    }

    /// Returns whether `bytes` are exactly one JSON value, so that they can be part of a line.
    package static func isValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var scanner = JSONScanner(bytes, 0..<bytes.count)
        return scanner.skipValue() != nil && scanner.isAtEnd
    }

    @inlinable package var isAtEnd: Bool { position == end }

    /// The byte at the position; nil at the end.
    @inlinable package var next: UInt8? { position < end ? bytes[position] : nil }

    /// Skips a character. If another character is there, the position stays.
    @inlinable package mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Skips a word. If other text is there, the position stays.
    @inlinable package mutating func skip(word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard end - position >= length else { return false }
        for index in 0..<length where bytes[position + index] != word.utf8Start[index] { return false }
        position += length
        return true
    }

    // MARK: Values

    /// Skips a value with the white space before it.
    ///
    /// - Parameter depth: The number of levels around it.
    /// - Returns: The range of both.
    package mutating func skipValue(at depth: Int = 0) -> Range<Int>? {
        let start = position
        isASCII = true
        guard skipNested(at: depth) else { return nil }
        return isValidText(start..<position) ? start..<position : nil
    }

    /// Reads an object in compact form, and calls `body` with each member until it returns false. The names are without quotation
    /// marks, and with their escapes.
    ///
    /// - Returns: Whether there was an object, and `body` returned true for all of its members.
    package mutating func readMembers(_ body: (_ name: Range<Int>, _ value: Range<Int>) throws -> Bool) rethrows -> Bool
    {
        guard skip("{") else { return false }
        if skip("}") { return true }
        repeat {
            guard let name = skipText(), skip(":"), let value = skipValue(), try body(name, value) else { return false }
        } while skip(",")
        return skip("}")
    }

    private func isValidText(_ range: Range<Int>) -> Bool {
        isASCII || String(validating: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self) != nil
    }

    private mutating func skipNested(at depth: Int) -> Bool {
        // True for an object, false for an array.
        var levels: [Bool] = []
        while true {
            skipSpace()
            guard let first = next else { return false }
            var isComplete = true
            switch first {
            case UInt8(ascii: "{"):
                guard depth + levels.count < CoreLimits.jsonDepth else { return false }
                position += 1
                skipSpace()
                if !skip("}") {
                    guard skipName() else { return false }
                    levels.append(true)
                    isComplete = false
                }
            case UInt8(ascii: "["):
                guard depth + levels.count < CoreLimits.jsonDepth else { return false }
                position += 1
                skipSpace()
                if !skip("]") {
                    levels.append(false)
                    isComplete = false
                }
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
            case UInt8(ascii: "t"):
                guard skip(word: "true") else { return false }
            case UInt8(ascii: "f"):
                guard skip(word: "false") else { return false }
            case UInt8(ascii: "n"):
                guard skip(word: "null") else { return false }
            default:
                guard skipNumber() != nil else { return false }
            }
            if isComplete {
                guard let isDone = skipAfterValue(&levels) else { return false }
                if isDone { return true }
            }
        }
    }

    /// Skips the ends of levels, and the comma before the next value.
    ///
    /// - Returns: Whether all levels have ended. Nil if other text follows.
    private mutating func skipAfterValue(_ levels: inout [Bool]) -> Bool? {
        while let isObject = levels.last {
            skipSpace()
            let end: Unicode.Scalar = isObject ? "}" : "]"
            if skip(",") {
                skipSpace()
                return !isObject || skipName() ? false : nil
            }
            guard skip(end) else { return nil }
            levels.removeLast()
        }
        return true
    }

    /// Skips the name of a member and the colon after it.
    private mutating func skipName() -> Bool {
        guard skipString() else { return false }
        skipSpace()
        return skip(":")
    }

    /// Skips what may stand between two tokens.
    package mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x09 { position += 1 }
        if layout == .file { skipLines() }
    }

    /// Skips white space with line breaks, and comments: `// to the end of the line` and `/* between */`. The position stays at a
    /// comment that does not end.
    private mutating func skipLines() {
        while let next {
            switch next {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case UInt8(ascii: "/"):
                guard let end = endOfComment else { return }
                position = end
            default: return
            }
        }
    }

    /// The position after the comment that begins at ``position``; nil if there is none, or if it does not end.
    private var endOfComment: Int? {
        guard position + 1 < end else { return nil }
        var index = position + 2
        switch bytes[position + 1] {
        case UInt8(ascii: "/"):
            while index < end, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
            return index
        case UInt8(ascii: "*"):
            while index + 1 < end {
                if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
                index += 1
            }
            return nil
        default: return nil
        }
    }

    // MARK: Numbers

    /// Skips a number.
    ///
    /// - Returns: Its range.
    package mutating func skipNumber() -> Range<Int>? {
        let start = position
        _ = skip("-")
        if !skip("0"), skipDigits() == 0 { return nil }
        if skip("."), skipDigits() == 0 { return nil }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            if skipDigits() == 0 { return nil }
        }
        return start..<position
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let next, next &- UInt8(ascii: "0") < 10 { position += 1 }
        return position - start
    }

    /// Returns the integer in a range of bytes: a number without a fraction or an exponent. Nil if there is other text, or if the
    /// type cannot hold it.
    @inlinable package func integer<Integer: FixedWidthInteger>(in range: Range<Int>) -> Integer? {
        var index = range.lowerBound
        let isNegative = index < range.upperBound && bytes[index] == UInt8(ascii: "-")
        if isNegative {
            guard Integer.isSigned else { return nil }
            index += 1
        }
        let count = range.upperBound - index
        guard count == 1 || count > 1 && bytes[index] != UInt8(ascii: "0") else { return nil }
        var value: Integer = 0
        while index < range.upperBound {
            let byte = bytes[index] &- UInt8(ascii: "0")
            guard byte < 10 else { return nil }
            let digit = Integer(truncatingIfNeeded: byte)
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
            index += 1
        }
        return value
    }

    /// Returns the number nearest to the one in a range that ``skipNumber()`` has returned; infinity if it is too large.
    package func double(in range: Range<Int>) -> Double? { Double(text(in: range)) }

    /// Returns the text of a range that was read.
    func text(in range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    // MARK: Strings

    /// Skips a string.
    ///
    /// - Returns: The range of its text without the quotation marks, with its escapes.
    package mutating func skipText() -> Range<Int>? {
        let start = position
        isASCII = true
        guard skipString() else { return nil }
        let range = (start + 1)..<(position - 1)
        return isValidText(range) ? range : nil
    }

    /// Reads a string. Returns nil also if an escape is half a surrogate pair.
    package mutating func readString() -> String? {
        let start = position
        hasEscapes = false
        guard skipString() else { return nil }
        let range = (start + 1)..<(position - 1)
        return hasEscapes ? unescapedString(in: range) : validString(in: range)
    }

    /// Returns the string of a range that ``skipText()`` has returned. Nil if an escape is half a surrogate pair.
    package func string(in range: Range<Int>) -> String? {
        bytes[range].contains(UInt8(ascii: "\\")) ? unescapedString(in: range) : validString(in: range)
    }

    private func validString(in range: Range<Int>) -> String? {
        String(validating: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    private func unescapedString(in range: Range<Int>) -> String? {
        var scanner = JSONScanner(bytes, range)
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        while let byte = scanner.next {
            scanner.position += 1
            if byte == UInt8(ascii: "\\") {
                guard let scalar = scanner.readEscapedScalar() else { return nil }
                text.append(contentsOf: String(scalar).utf8)
            } else {
                text.append(byte)
            }
        }
        return String(validating: text, as: UTF8.self)
    }

    private mutating func skipString() -> Bool {
        guard skip("\"") else { return false }
        while position < end {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"):
                hasEscapes = true
                guard readEscape() != nil else { return false }
            case 0..<0x20: return false
            case 0x80...: isASCII = false
            default: break
            }
        }
        return false
    }

    /// Reads the character of an escape, or of two for a surrogate pair, after the backslash.
    private mutating func readEscapedScalar() -> Unicode.Scalar? {
        guard let unit = readEscape() else { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard skip("\\"), let second = readEscape(), UTF16.isTrailSurrogate(second) else { return nil }
        return Unicode.Scalar(0x1_0000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(second) & 0x3FF)
    }

    /// Reads the code unit of an escape after the backslash.
    private mutating func readEscape() -> UInt16? {
        guard let letter = next else { return nil }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(letter)
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"):
            guard end - position >= 4 else { return nil }
            var unit: UInt16 = 0
            for _ in 0..<4 {
                guard let digit = Self.hexadecimalDigit(bytes[position]) else { return nil }
                unit = unit << 4 | digit
                position += 1
            }
            return unit
        default: return nil
        }
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case 0x30...0x39: UInt16(byte - 0x30)
        case 0x41...0x46: UInt16(byte - 0x41 + 10)
        case 0x61...0x66: UInt16(byte - 0x61 + 10)
        default: nil
        }
    }
}
