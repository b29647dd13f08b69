/// The cyclic redundancy check with Castagnoli's polynomial, as iSCSI has it (RFC 3720).
package enum CRC32C {
    /// The check of `bytes`, or of what `previous` is the check of with `bytes` after it.
    ///
    /// The check of no bytes is 0. Any change of up to 32 bits in a row is told, and any of one bit. Linear time, eight
    /// bytes at a step; nothing is allocated but, the first time, the tables.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, continuing previous: UInt32 = 0) -> UInt32 {
        guard var next = bytes.baseAddress else { return previous }
        let tables = tables
        var left = bytes.count
        var state = ~previous
        while left >= 8 {
            let low = UInt32(littleEndian: next.loadUnaligned(as: UInt32.self)) ^ state
            let high = UInt32(littleEndian: next.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            // What does not need the last step's outcome comes first, so that it need not wait for it.
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

    /// What the four bytes of `word` do to the check when as many bytes come after them as there are tables before
    /// `tables`.
    @inline(__always)
    private static func step(_ tables: UnsafePointer<UInt32>, _ word: UInt32) -> UInt32 {
        tables[0x300 | Int(truncatingIfNeeded: word & 0xFF)]
            ^ tables[0x200 | Int(truncatingIfNeeded: word &>> 8 & 0xFF)]
            ^ tables[0x100 | Int(truncatingIfNeeded: word &>> 16 & 0xFF)]
            ^ tables[Int(truncatingIfNeeded: word &>> 24)]
    }

    /// Eight tables of 256: the one at `n` tells what a byte does to the check when `n` zero bytes come after it.
    ///
    /// A pointer, since an array would be counted and its bounds checked at every look-up. It is written before anybody
    /// has it and never again, and never freed.
    private nonisolated(unsafe) static let tables: UnsafePointer<UInt32> = {
        let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 8 * 256)
        for byte in 0..<256 {
            var state = UInt32(byte)
            for _ in 0..<8 { state = state >> 1 ^ (state & 1 == 0 ? 0 : reversedPolynomial) }
            (tables + byte).initialize(to: state)
        }
        for index in 256..<(8 * 256) {
            let state = tables[index - 256]
            (tables + index).initialize(to: state >> 8 ^ tables[Int(state & 0xFF)])
        }
        return UnsafePointer(tables)
    }()

    private static let reversedPolynomial: UInt32 = 0x82F6_3B78
}
