import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the parts that ``JournalRecord/appendBody(to:)`` writes, in order, from untrusted bytes.
///
/// Every part has exactly one valid form. For any other, the result is nil. A length is compared with the available
/// bytes before memory is allocated.
struct JournalInput {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }

    mutating func byte() -> UInt8? {
        rest.popFirst()
    }

    mutating func littleEndian<Number: FixedWidthInteger>() -> Number? {
        bytes(MemoryLayout<Number>.size).map { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
    }

    /// Reads an offset in a journal, or another number below ``JournalHeader/offsetLimit``.
    mutating func offset() -> UInt64? {
        guard let number: UInt64 = littleEndian(), number <= JournalHeader.offsetLimit else { return nil }
        return number
    }

    /// Reads a length or count, in as few bytes as possible.
    mutating func length() -> Int? {
        var number: UInt64 = 0
        // Nine bytes have the 63 bits of the largest length.
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = byte() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 == 0 else { continue }
            return byte == 0 && shift > 0 ? nil : Int(exactly: number)
        }
        return nil
    }

    /// Reads the number of items that follow, each of which has at least `size` bytes.
    mutating func count(ofItemsOfAtLeast size: Int) -> Int? {
        guard let count = length(), count <= rest.count / size else { return nil }
        return count
    }

    mutating func name() -> String? {
        guard let count = length(), let bytes = bytes(count) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    mutating func data(count: Int) -> Data? {
        bytes(count).map { Data($0) }
    }

    /// Reads all remaining bytes.
    func remainder() -> Data { Data(rest) }

    mutating func change() -> JournalChange? {
        guard let name = name(), let length = length() else { return nil }
        guard length > 0 else { return JournalChange(name: name, data: nil) }
        guard let data = data(count: length - 1) else { return nil }
        return JournalChange(name: name, data: data)
    }

    mutating func names() -> [String]? { list(ofItemsOfAtLeast: 1) { $0.name() } }

    /// Reads a count and as many items, none of which is smaller than `size`.
    mutating func list<Item>(ofItemsOfAtLeast size: Int, _ item: (inout JournalInput) -> Item?) -> [Item]? {
        guard let count = count(ofItemsOfAtLeast: size) else { return nil }
        var items: [Item] = []
        items.reserveCapacity(count)
        for _ in 0..<count {
            guard let item = item(&self) else { return nil }
            items.append(item)
        }
        return items
    }

    mutating func edit() -> JournalEdit? {
        guard let removed = names(), let count = length(), let members = data(count: count) else { return nil }
        return JournalEdit(removed: removed, members: members)
    }

    mutating func fileVersion() -> FileVersion? {
        guard let status = fileStatus(), let checksum: UInt32 = littleEndian() else { return nil }
        return FileVersion(status: status, checksum: checksum)
    }

    /// Nil for a removal, and nil for invalid bytes.
    mutating func fileDigest() -> FileDigest?? {
        switch byte() {
        case 0: return .some(nil)
        case 1:
            guard let size: Int64 = littleEndian(), let checksum: UInt32 = littleEndian() else { return nil }
            return FileDigest(size: size, checksum: checksum)
        default: return nil
        }
    }

    mutating func fileStatus() -> FileStatus? {
        guard let device: UInt64 = littleEndian(), let inode: UInt64 = littleEndian(),
            let size: Int64 = littleEndian(), let modified = timestamp(), let changed = timestamp(),
            let linkCount: UInt64 = littleEndian()
        else { return nil }
        return FileStatus(
            kind: .file, device: device, inode: inode, size: size, modified: modified, changed: changed,
            linkCount: linkCount)
    }

    private mutating func timestamp() -> FileStatus.Timestamp? {
        guard let seconds: Int64 = littleEndian(), let nanoseconds: Int64 = littleEndian() else { return nil }
        return FileStatus.Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
}
