/// Tells one replica of a shared store from all others: a device, or rather one store's state on it.
///
/// Drawn at random, so that nobody need be asked for it; that two are the same is less likely than a failure of the disk
/// as long as there are fewer than some millions.
struct ReplicaID: Hashable, Sendable {
    let number: UInt64

    init(_ number: UInt64) { self.number = number }

    static func random() -> ReplicaID { ReplicaID(.random(in: 1 ... .max)) }
}

extension ReplicaID: Comparable {
    static func < (one: ReplicaID, other: ReplicaID) -> Bool { one.number < other.number }
}

extension ReplicaID: LosslessStringConvertible {
    /// Sixteen lower-case hexadecimal digits.
    var description: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    init?(_ text: String) {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ HexText.digit($0) != nil }),
            let number = UInt64(text, radix: 16)
        else { return nil }
        self.number = number
    }
}

/// Lower-case hexadecimal digits, the only ones that files have here: every value has one text.
enum HexText {
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The number that all of `text` spells; nil if it has other bytes or more digits than the number has.
    static func number<Number: FixedWidthInteger & UnsignedInteger>(_ text: some Collection<UInt8>) -> Number? {
        guard text.count == MemoryLayout<Number>.size * 2 else { return nil }
        var number: Number = 0
        for byte in text {
            guard let digit = digit(byte) else { return nil }
            number = number << 4 | Number(digit)
        }
        return number
    }

    static func append(_ number: some FixedWidthInteger & UnsignedInteger, to output: inout [UInt8]) {
        var shift = number.bitWidth
        while shift > 0 {
            shift -= 4
            let digit = UInt8(truncatingIfNeeded: number >> shift) & 0xF
            output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
