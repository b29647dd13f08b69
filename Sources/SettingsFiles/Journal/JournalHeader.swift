/// What a journal begins with.
///
/// The bytes are, with little-endian numbers: a magic number of eight bytes; the version and its complement, two each;
/// four zeros; `id`, `predecessor` and `carriedEnd`, eight each; `mustBeRead`, 0 or 1, four; and the CRC-32C of all before
/// it.
package struct JournalHeader: Sendable, Equatable {
    /// Tells one journal from another. Random, and never 0.
    package var id: UInt64
    /// The journal that was in the place of this one before; 0 for none.
    package var predecessor: UInt64
    /// The offset up to which the first records only repeat what the predecessor held; ``size`` for none.
    package var carriedEnd: UInt64
    /// Whether also those who had the predecessor must read everything again, with the property list: that has what the
    /// predecessor did not tell.
    package var mustBeRead = false

    package static let size = 48

    /// What the first bytes of a file turn out to be.
    package enum Reading: Sendable, Equatable {
        case intact(JournalHeader)
        /// They were never completely written: fewer than a header's, or nothing but zeros.
        case absent
        /// The header of a version that is not known here, whose other bytes may mean anything.
        case newer(version: UInt16)
        /// No header, or one with wrong bytes in it.
        case damaged
    }

    private static let version: UInt16 = 1
    /// All up to the first field. Damage that comes from the transfer of files as text would show in the magic number.
    private static let beginning: [UInt8] = [
        0x89, 0x53, 0x4B, 0x4A, 0x0D, 0x0A, 0x1A, 0x0A, 0x01, 0x00, 0xFE, 0xFF, 0, 0, 0, 0,
    ]
    private static let versionEnd = 12
    private static let magicSize = 8

    package func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: Self.beginning)
        bytes.appendLittleEndian(id)
        bytes.appendLittleEndian(predecessor)
        bytes.appendLittleEndian(carriedEnd)
        bytes.appendLittleEndian(UInt32(mustBeRead ? 1 : 0))
        let check = bytes.withUnsafeBytes { CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        bytes.appendLittleEndian(check)
    }

    /// Reads the header from the first bytes of a file, with or without more after them.
    ///
    /// No single wrong bit makes another header of one, nor one of a newer version. Linear in `bytes` where they are
    /// zeros, constant time for all others.
    package static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        if bytes.allSatisfy({ $0 == 0 }) { return .absent }
        if let version = newerVersion(bytes) { return .newer(version: version) }
        guard bytes.prefix(beginning.count).elementsEqual(beginning.prefix(bytes.count)) else { return .damaged }
        guard bytes.count >= size else { return .absent }
        return intact(bytes).map { .intact($0) } ?? .damaged
    }

    private static func newerVersion(_ bytes: UnsafeRawBufferPointer) -> UInt16? {
        guard bytes.count >= versionEnd, bytes.prefix(magicSize).elementsEqual(beginning.prefix(magicSize))
        else { return nil }
        let found = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
        let complement = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self))
        return found > version && complement == ~found ? found : nil
    }

    /// The header that `bytes`, at least ``size`` of them, begin with, if what comes before its fields is right.
    private static func intact(_ bytes: UnsafeRawBufferPointer) -> JournalHeader? {
        var input = JournalInput(UnsafeRawBufferPointer(rebasing: bytes[beginning.count..<size]))
        let check = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<(size - 4)]))
        guard let id: UInt64 = input.littleEndian(), id != 0, let predecessor: UInt64 = input.littleEndian(),
            let carriedEnd: UInt64 = input.littleEndian(), carriedEnd >= UInt64(size),
            let mustBeRead: UInt32 = input.littleEndian(), mustBeRead <= 1,
            let writtenCheck: UInt32 = input.littleEndian(), writtenCheck == check
        else { return nil }
        return JournalHeader(
            id: id, predecessor: predecessor, carriedEnd: carriedEnd, mustBeRead: mustBeRead == 1)
    }
}
