import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An output for the bytes of a record.
protocol JournalOutput {
    mutating func append(_ byte: UInt8)
    mutating func append(contentsOf bytes: UnsafeRawBufferPointer)
}

extension [UInt8]: JournalOutput {}

/// Writes into memory that is large enough.
struct JournalMemory: JournalOutput {
    private var next: UnsafeMutableRawPointer

    init(_ start: UnsafeMutableRawPointer) { next = start }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        next.storeBytes(of: byte, as: UInt8.self)
        next += 1
    }

    @inline(__always)
    mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        next.copyMemory(from: start, byteCount: bytes.count)
        next += bytes.count
    }
}

/// Writes the parts of headers and bodies in a journal, which ``JournalInput`` reads.
///
/// Numbers of a fixed size are little-endian. Lengths and counts are in LEB128: seven bits a byte, the lowest first,
/// and the eighth bit set in all bytes but the last.
extension JournalOutput {
    @inline(__always)
    mutating func appendLittleEndian(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    @inline(__always)
    mutating func appendLength(_ length: Int) {
        var rest = UInt(bitPattern: length)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// The number of bytes that ``appendLength(_:)`` appends.
    @inline(__always)
    static func sizeOfLength(_ length: Int) -> Int {
        Swift.max(1, (Int.bitWidth - length.leadingZeroBitCount + 6) / 7)
    }

    mutating func appendName(_ name: String) {
        var name = name
        name.withUTF8 { appendName($0) }
    }

    @inline(__always)
    mutating func appendName(_ text: UnsafeBufferPointer<UInt8>) {
        appendLength(text.count)
        append(contentsOf: UnsafeRawBufferPointer(text))
    }

    /// Appends a change: its name, then 0 for a removal, or the length of the data plus one and the data.
    @inline(__always)
    mutating func appendChange(name: UnsafeBufferPointer<UInt8>, data: Data?) {
        appendName(name)
        guard let data else { return append(0) }
        data.withUnsafeBytes { value in
            appendLength(value.count + 1)
            append(contentsOf: value)
        }
    }

    /// The number of bytes that ``appendChange(name:data:)`` appends.
    @inline(__always)
    static func sizeOfChange(nameCount: Int, data: Data?) -> Int {
        let count = data?.count ?? 0
        return sizeOfLength(nameCount) + nameCount + count + (data == nil ? 1 : sizeOfLength(count + 1))
    }

    /// Appends the status of a file without its kind, because a property list is always a file.
    mutating func append(_ status: FileStatus) {
        appendLittleEndian(status.device)
        appendLittleEndian(status.inode)
        appendLittleEndian(status.size)
        appendLittleEndian(status.modified.seconds)
        appendLittleEndian(status.modified.nanoseconds)
        appendLittleEndian(status.changed.seconds)
        appendLittleEndian(status.changed.nanoseconds)
        appendLittleEndian(status.linkCount)
    }

    mutating func append(_ version: FileVersion) {
        append(version.status)
        appendLittleEndian(version.checksum)
    }

    mutating func append(_ digest: FileDigest?) {
        append(digest == nil ? 0 : 1)
        guard let digest else { return }
        appendLittleEndian(digest.size)
        appendLittleEndian(digest.checksum)
    }

    mutating func append(_ edit: JournalEdit) {
        appendLength(edit.removed.count)
        for name in edit.removed { appendName(name) }
        appendLength(edit.members.count)
        edit.members.withUnsafeBytes { append(contentsOf: $0) }
    }
}
