/// Finds the ends of JSON values (RFC 8259) without decoding them.
///
/// It accepts only valid JSON in valid UTF-8 without line breaks. It is not recursive: it takes about a byte of memory
/// a level, and the number of levels is limited. Linear time.
struct JSONScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let end: Int
    private(set) var position: Int
    private var isASCII = true

    /// The greatest number of levels. Deeper values are refused, as by JSON decoders.
    static let depthLimit = 512

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// Whether `bytes` are exactly one JSON value, so that they can be part of a line.
    static func isValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var scanner = JSONScanner(bytes, 0..<bytes.count)
        return scanner.skipValue() != nil && scanner.isAtEnd
    }

    var isAtEnd: Bool { position == end }

    private var next: UInt8? { position < end ? bytes[position] : nil }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Skips the value at the position.
    ///
    /// - Returns: the value's range. Nil if there is no value; the position is undefined then.
    mutating func skipValue() -> Range<Int>? {
        let start = position
        isASCII = true
        guard skipNested() else { return nil }
        return isValidText(start..<position) ? start..<position : nil
    }

    /// Skips the string at the position.
    ///
    /// - Returns: the range of its text without the quotation marks, with its escapes.
    mutating func skipText() -> Range<Int>? {
        let start = position
        isASCII = true
        guard skipString() else { return nil }
        let range = (start + 1)..<(position - 1)
        return isValidText(range) ? range : nil
    }

    private func isValidText(_ range: Range<Int>) -> Bool {
        isASCII || String(validating: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self) != nil
    }

    // MARK: Values

    private mutating func skipNested() -> Bool {
        // True for an object, false for an array.
        var levels: [Bool] = []
        while true {
            skipSpace()
            guard let first = next else { return false }
            var isComplete = true
            switch first {
            case UInt8(ascii: "{"):
                guard levels.count < Self.depthLimit else { return false }
                position += 1
                skipSpace()
                if !skip("}") {
                    guard skipName() else { return false }
                    levels.append(true)
                    isComplete = false
                }
            case UInt8(ascii: "["):
                guard levels.count < Self.depthLimit else { return false }
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
                guard skipNumber() else { return false }
            }
            if isComplete {
                guard let isDone = skipAfterValue(&levels) else { return false }
                if isDone { return true }
            }
        }
    }

    /// Skips the ends of levels, and the comma before the next value.
    ///
    /// - Returns: whether all levels have ended. Nil if something else follows.
    private mutating func skipAfterValue(_ levels: inout [Bool]) -> Bool? {
        while let isObject = levels.last {
            skipSpace()
            if skip(",") {
                skipSpace()
                return !isObject || skipName() ? false : nil
            }
            guard skip(isObject ? "}" : "]") else { return nil }
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

    private mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x09 { position += 1 }
    }

    private mutating func skip(word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard end - position >= length else { return false }
        for index in 0..<length where bytes[position + index] != word.utf8Start[index] { return false }
        position += length
        return true
    }

    private mutating func skipNumber() -> Bool {
        _ = skip("-")
        if !skip("0"), skipDigits() == 0 { return false }
        if skip("."), skipDigits() == 0 { return false }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            if skipDigits() == 0 { return false }
        }
        return true
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let next, next &- UInt8(ascii: "0") < 10 { position += 1 }
        return position - start
    }

    private mutating func skipString() -> Bool {
        guard skip("\"") else { return false }
        while position < end {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard skipEscape() else { return false }
            case 0..<0x20: return false
            case 0x80...: isASCII = false
            default: break
            }
        }
        return false
    }

    private mutating func skipEscape() -> Bool {
        guard let letter = next else { return false }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard end - position >= 4 else { return false }
            for _ in 0..<4 {
                guard bytes[position].digit(radix: 16) != nil else { return false }
                position += 1
            }
            return true
        default:
            return false
        }
    }
}
