/// Converts the bytes that a terminal sends to keys.
///
/// Bytes may arrive in any pieces. The decoder stores at most a few of them. Unknown sequences are ignored completely.
struct KeyDecoder: Sendable {
    private enum State {
        case ground
        /// The first bytes of a character, and its length.
        case character([UInt8], count: Int)
        case escape
        /// After `ESC [`: the parameters. Longer ones than any key has are cut off.
        case sequence([UInt8])
        /// After `ESC O`.
        case singleShift
        /// After `ESC [ [`, which the Linux console sends for function keys.
        case function
        /// A report from the terminal, not typed by a person. It ends with BEL or `ESC \`.
        case string
    }

    private static let escape: UInt8 = 0x1B

    private var state = State.ground
    /// Whether the terminal has marked the beginning of pasted text.
    private var isPasting = false
    private var pasted = ""
    /// Whether the last pasted character was a carriage return, which a line feed may follow.
    private var endsWithReturn = false
    private var keys: [Key] = []

    /// Whether the next bytes decide what the last ones mean. If none follow within a moment, call ``timeOut()``.
    var isPending: Bool {
        if case .ground = state { return false }
        return true
    }

    /// Returns the keys that these bytes complete.
    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        for byte in bytes { decode(byte) }
        return removeKeys()
    }

    /// Returns the keys of the pending bytes, if no others follow: a lone ESC is the escape key.
    mutating func timeOut() -> [Key] {
        switch state {
        case .escape:
            // The escape key ends a paste whose end mark is missing.
            endPaste()
            keys.append(.escape)
        case .character: emit(.unreadable)
        case .ground, .sequence, .singleShift, .function, .string: break
        }
        state = .ground
        return removeKeys()
    }

    private mutating func removeKeys() -> [Key] {
        flushPaste()
        defer { keys = [] }
        return keys
    }

    private mutating func decode(_ byte: UInt8) {
        switch state {
        case .ground: begin(byte)
        case .character(let bytes, let count): decodeCharacter(byte, after: bytes, count: count)
        case .escape: decodeEscaped(byte)
        case .sequence(let parameters): decodeSequence(byte, after: parameters)
        case .singleShift:
            state = .ground
            if byte < 0x20 { begin(byte) } else { Self.key(final: byte, []).map { emit($0) } }
        case .function:
            state = .ground
            if byte < 0x20 { begin(byte) }
        case .string:
            switch byte {
            case 0x07, 0x18, 0x1A: state = .ground
            case Self.escape: state = .escape
            default: break
            }
        }
    }

    // MARK: Text

    private mutating func begin(_ byte: UInt8) {
        switch byte {
        case Self.escape: state = .escape
        case 0x0D where isPasting: paste("\n")
        case 0x0A where isPasting && endsWithReturn: break
        case 0x0A where isPasting: paste("\n")
        case 0x09 where isPasting: paste("\t")
        case 0x0A, 0x0D: emit(.enter)
        case 0x09: emit(.tab)
        case 0x08, 0x7F: emit(.backspace)
        case 0x01...0x1A: emit(.control(Unicode.Scalar(byte + 0x60)))
        case 0x00..<0x20: break
        case 0x20..<0x80: emit(.scalar(Unicode.Scalar(byte)))
        case 0xC2..<0xE0: state = .character([byte], count: 2)
        case 0xE0..<0xF0: state = .character([byte], count: 3)
        case 0xF0..<0xF5: state = .character([byte], count: 4)
        default: emit(.unreadable)
        }
        endsWithReturn = byte == 0x0D
    }

    private mutating func decodeCharacter(_ byte: UInt8, after bytes: [UInt8], count: Int) {
        guard byte & 0xC0 == 0x80 else {
            state = .ground
            emit(.unreadable)
            return begin(byte)
        }
        let bytes = bytes + [byte]
        if bytes.count < count {
            state = .character(bytes, count: count)
            return
        }
        state = .ground
        guard let scalar = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first else {
            return emit(.unreadable)
        }
        // A person does not type control characters of two bytes.
        if scalar.value >= 0xA0 { emit(.scalar(scalar)) }
    }

    // MARK: Sequences

    private mutating func decodeEscaped(_ byte: UInt8) {
        state = .ground
        switch byte {
        case UInt8(ascii: "["): state = .sequence([])
        case UInt8(ascii: "O"): state = .singleShift
        case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "X"):
            state = .string
        case Self.escape:
            emit(.escape)
            state = .escape
        case 0x0A, 0x0D: emit(.lineBreak)
        case 0x08, 0x7F: emit(.deleteWord)
        case UInt8(ascii: "b"): emit(.wordLeft)
        case UInt8(ascii: "f"): emit(.wordRight)
        // Alt has no meaning with other keys.
        case 0x20..<0x7F: break
        default: begin(byte)
        }
    }

    private mutating func decodeSequence(_ byte: UInt8, after parameters: [UInt8]) {
        switch byte {
        case UInt8(ascii: "[") where parameters.isEmpty: state = .function
        case 0x20..<0x40:
            if parameters.count < TerminalLimits.sequenceParameters { state = .sequence(parameters + [byte]) }
        case 0x40..<0x7F:
            state = .ground
            finish(parameters, final: byte)
        case 0x18, 0x1A: state = .ground
        default:
            state = .ground
            begin(byte)
        }
    }

    private mutating func finish(_ parameters: [UInt8], final: UInt8) {
        let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
        switch (final, numbers.first) {
        case (UInt8(ascii: "~"), 200): isPasting = true
        case (UInt8(ascii: "~"), 201): endPaste()
        default: Self.key(final: final, numbers).map { emit($0) }
        }
    }

    private static func key(final: UInt8, _ numbers: [Int]) -> Key? {
        // The second number is 1 plus a bit for each held key of Shift, Alt and Control.
        let modifiers = numbers.count > 1 ? numbers[1] - 1 : 0
        let movesByWord = modifiers > 0 && modifiers & 0b110 != 0
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return movesByWord ? .wordRight : .right
        case UInt8(ascii: "D"): return movesByWord ? .wordLeft : .left
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "M"): return numbers.isEmpty ? .enter : nil
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "~"):
            switch numbers.first {
            case 1, 7: return .home
            case 3: return movesByWord ? .deleteWord : .delete
            case 4, 8: return .end
            case 5: return .pageUp
            case 6: return .pageDown
            default: return nil
            }
        default: return nil
        }
    }

    // MARK: Pasting

    private mutating func emit(_ key: Key) {
        guard isPasting else { return keys.append(key) }
        switch key {
        case .scalar(let scalar): paste(scalar)
        case .unreadable:
            flushPaste()
            keys.append(key)
        // A pasted text must never be a command, so keys are left out.
        default: break
        }
    }

    private mutating func paste(_ scalar: Unicode.Scalar) { pasted.unicodeScalars.append(scalar) }

    private mutating func endPaste() {
        flushPaste()
        isPasting = false
    }

    private mutating func flushPaste() {
        if !pasted.isEmpty { keys.append(.pasted(pasted)) }
        pasted = ""
    }
}
