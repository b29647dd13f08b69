/// The cyclic redundancy check with Castagnoli's polynomial, as in iSCSI (RFC 3720).
package enum CRC32C {
    /// Returns the check of `bytes`, or continues the check `previous` with `bytes`.
    ///
    /// The check of no bytes is 0. The check detects any change of one bit, or of up to 32 bits in a row. It takes
    /// linear time, eight bytes at a step, and allocates only the tables, once.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, continuing previous: UInt32 = 0) -> UInt32 {
        guard var next = bytes.baseAddress else { return previous }
        let tables = tables
        var left = bytes.count
        var state = ~previous
        while left >= 8 {
            let low = UInt32(littleEndian: next.loadUnaligned(as: UInt32.self)) ^ state
            let high = UInt32(littleEndian: next.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            // The parts that do not depend on the last step come first, so that they need not wait for it.
            state = step(tables, high) ^ step(tables + 4 * 256, low)
            next += 8
            left &-= 8
        }
        if left >= 4 {
            let word = UInt32(littleEndian: next.loadUnaligned(as: UInt32.self)) ^ state
            state = step(tables, word)
            next += 4
            left &-= 4
        }
        while left > 0 {
            let byte = next.load(as: UInt8.self)
            state = state &>> 8 ^ tables[Int(truncatingIfNeeded: (state ^ UInt32(truncatingIfNeeded: byte)) & 0xFF)]
            next += 1
            left &-= 1
        }
        return ~state
    }

    /// The effect of the four bytes of `word` on the check, if they are followed by as many bytes as there are tables before
    /// `tables`.
    @inline(__always)
    private static func step(_ tables: UnsafePointer<UInt32>, _ word: UInt32) -> UInt32 {
        tables[0x300 | Int(truncatingIfNeeded: word & 0xFF)]
            ^ tables[0x200 | Int(truncatingIfNeeded: word &>> 8 & 0xFF)]
            ^ tables[0x100 | Int(truncatingIfNeeded: word &>> 16 & 0xFF)]
            ^ tables[Int(truncatingIfNeeded: word &>> 24)]
    }

    /// Eight tables of 256. Table `n` has the effect of a byte on the check when `n` zero bytes follow it.
    ///
    /// A pointer, because an array would count references and check bounds at every lookup. It is written once, before
    /// its first use, and never freed.
    private nonisolated(unsafe) static let tables: UnsafePointer<UInt32> = {
        let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 8 * 256)
        for byte in 0..<256 {
            var state = UInt32(byte)
            for _ in 0..<8 { state = state >> 1 ^ (state & 1 == 0 ? 0 : reversedPolynomial) }
            (tables + byte).initialize(to: state)
        }
        for index in 256..<(8 * 256) {
            let state = tables[index - 256]
            (tables + index).initialize(to: state >> 8 ^ tables[Int(truncatingIfNeeded: state & 0xFF)])
        }
        return UnsafePointer(tables)
    }()

    private static let reversedPolynomial: UInt32 = 0x82F6_3B78
}
