/// Converts the bytes that a terminal sends to keys.
///
/// Bytes may arrive in any pieces. The decoder holds at most a few of them, whatever it is sent. Sequences that it does not
/// know are ignored as a whole.
struct KeyDecoder: Sendable {
    private enum State {
        case ground
        /// The first bytes of a character, and how many it has.
        case character([UInt8], count: Int)
        case escape
        /// Behind `ESC [`: the parameters. Longer ones than any key has are cut off.
        case sequence([UInt8])
        /// Behind `ESC O`.
        case singleShift
        /// Behind `ESC [ [`, which the Linux console sends for function keys.
        case function
        /// An answer of the terminal, which a person has not typed. It ends with BEL or `ESC \`.
        case string
    }

    private static let escape: UInt8 = 0x1B
    private static let parameterLimit = 24

    private var state = State.ground
    /// Whether the terminal has said that pasted text begins.
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

    /// The keys that are complete with these bytes.
    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        for byte in bytes { take(byte) }
        return takeKeys()
    }

    /// The keys that the pending bytes are, if no others follow: a lone ESC is the escape key.
    mutating func timeOut() -> [Key] {
        switch state {
        case .escape:
            // A person who presses it ends a paste that the terminal has not ended.
            endPaste()
            keys.append(.escape)
        case .character: emit(.unreadable)
        case .ground, .sequence, .singleShift, .function, .string: break
        }
        state = .ground
        return takeKeys()
    }

    private mutating func takeKeys() -> [Key] {
        flushPaste()
        defer { keys = [] }
        return keys
    }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .ground: begin(byte)
        case .character(let bytes, let count): takeCharacter(byte, after: bytes, count: count)
        case .escape: takeEscaped(byte)
        case .sequence(let parameters): takeSequence(byte, after: parameters)
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

    private mutating func takeCharacter(_ byte: UInt8, after bytes: [UInt8], count: Int) {
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
        // Control characters of two bytes are no text that a person types.
        if scalar.value >= 0xA0 { emit(.scalar(scalar)) }
    }

    // MARK: Sequences

    private mutating func takeEscaped(_ byte: UInt8) {
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
        // Other keys with Alt have no meaning.
        case 0x20..<0x7F: break
        default: begin(byte)
        }
    }

    private mutating func takeSequence(_ byte: UInt8, after parameters: [UInt8]) {
        switch byte {
        case UInt8(ascii: "[") where parameters.isEmpty: state = .function
        case 0x20..<0x40:
            if parameters.count < Self.parameterLimit { state = .sequence(parameters + [byte]) }
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
        // The second number is 1, and more for each of the keys Shift, Alt and Control that is held.
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
        // Keys cannot be pasted, so that a pasted text is never a command.
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
