/// The start of a journal's file.
///
/// The bytes are, with little-endian numbers: a magic number of eight bytes; the version and its complement, two each;
/// four zeros; the fields from `id` to `restoreEnd` in the order in which they are declared, eight each; `mustBeRead`, 0
/// or 1, four; and the CRC-32C of everything before it.
package struct JournalHeader: Sendable, Equatable {
    /// Identifies the journal. Random, and never 0.
    package var id: UInt64
    /// The journal that this one replaced; 0 for none.
    package var predecessor: UInt64
    /// Identifies the property list through all of its journals. Random; 0 only in place of a lost header.
    package var list: UInt64
    /// The predecessor's generation plus one.
    package var generation: UInt64
    /// The property list's mark when this journal began: a journal, and the offset up to which the property list
    /// contained it. This journal continues from there. 0 if there was no mark.
    package var base: UInt64
    package var baseOffset: UInt64
    /// The end of the first records, which only repeat the predecessor's; ``size`` for none.
    package var carriedEnd: UInt64
    /// The end of the first records, which only serve to restore a damaged property list; ``size`` for none.
    package var restoreEnd: UInt64
    /// Whether processes that followed the predecessor must also read both files again, because the property list
    /// contains changes that are not in the predecessor.
    package var mustBeRead = false

    package static let size = 88
    /// The upper limit of offsets. Greater ones are damage; sums of smaller ones cannot overflow.
    static let offsetLimit: UInt64 = 1 << 40

    package init(
        id: UInt64, predecessor: UInt64, list: UInt64, generation: UInt64, base: UInt64 = 0, baseOffset: UInt64 = 0,
        carriedEnd: UInt64 = UInt64(size), restoreEnd: UInt64 = UInt64(size), mustBeRead: Bool = false
    ) {
        self.id = id
        self.predecessor = predecessor
        self.list = list
        self.generation = generation
        self.base = base
        self.baseOffset = baseOffset
        self.carriedEnd = carriedEnd
        self.restoreEnd = restoreEnd
        self.mustBeRead = mustBeRead
    }

    /// The meaning of the first bytes of a file.
    package enum Reading: Sendable, Equatable {
        case intact(JournalHeader)
        /// They were never completely written: fewer than a header's, or only zeros.
        case absent
        /// The header of an unknown version, whose other bytes may have any meaning.
        case newer(version: UInt16)
        /// Not a header, or a damaged one.
        case damaged
    }

    private static let version: UInt16 = 1
    /// The bytes before the first field. Damage by a transfer as text is visible in the magic number.
    private static let beginning: [UInt8] = [
        0x89, 0x53, 0x4B, 0x4A, 0x0D, 0x0A, 0x1A, 0x0A, 0x01, 0x00, 0xFE, 0xFF, 0, 0, 0, 0,
    ]
    private static let versionEnd = 12
    private static let magicSize = 8

    package func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: Self.beginning)
        for field in [id, predecessor, list, generation, base, baseOffset, carriedEnd, restoreEnd] {
            bytes.appendLittleEndian(field)
        }
        bytes.appendLittleEndian(UInt32(mustBeRead ? 1 : 0))
        let check = bytes.withUnsafeBytes { CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        bytes.appendLittleEndian(check)
    }

    /// Reads the header from the first bytes of a file, with or without more after them.
    ///
    /// No single wrong bit turns a header into another one, or into one of a newer version. Linear in the number of zeros in
    /// `bytes`, otherwise constant time.
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

    /// Returns the header at the beginning of `bytes`, at least ``size`` of them, if the bytes before its fields are
    /// correct.
    private static func intact(_ bytes: UnsafeRawBufferPointer) -> JournalHeader? {
        var input = JournalInput(UnsafeRawBufferPointer(rebasing: bytes[beginning.count..<size]))
        let check = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<(size - 4)]))
        guard let id: UInt64 = input.littleEndian(), id != 0, let predecessor: UInt64 = input.littleEndian(),
            let list: UInt64 = input.littleEndian(), let generation = input.offset(),
            let base: UInt64 = input.littleEndian(), let baseOffset = input.offset(),
            let carriedEnd = input.offset(), let restoreEnd = input.offset(),
            UInt64(size) <= restoreEnd, restoreEnd <= carriedEnd,
            let mustBeRead: UInt32 = input.littleEndian(), mustBeRead <= 1,
            let writtenCheck: UInt32 = input.littleEndian(), writtenCheck == check
        else { return nil }
        return JournalHeader(
            id: id, predecessor: predecessor, list: list, generation: generation, base: base, baseOffset: baseOffset,
            carriedEnd: carriedEnd, restoreEnd: restoreEnd, mustBeRead: mustBeRead == 1)
    }

    /// Creates a header in place of a damaged one. Only the records' information is known.
    ///
    /// - Parameter id: The journal named by the records; nil if there are none.
    static func lost(of id: UInt64?) -> JournalHeader {
        JournalHeader(id: id ?? 0, predecessor: 0, list: 0, generation: 0)
    }
}
