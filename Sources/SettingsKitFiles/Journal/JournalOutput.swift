import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes the parts of headers and bodies in a journal, which ``JournalInput`` reads.
///
/// Numbers of a fixed size are little-endian. Lengths and counts are in LEB128: seven bits a byte, the lowest first,
/// and the eighth bit set in all bytes but the last.
extension [UInt8] {
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
    static func sizeOfLength(_ length: Int) -> Int {
        Swift.max(1, (Int.bitWidth - length.leadingZeroBitCount + 6) / 7)
    }

    @inline(__always)
    mutating func appendName(_ name: String) {
        var name = name
        name.withUTF8 { text in
            appendLength(text.count)
            append(contentsOf: text)
        }
    }

    /// Appends a change: its name, then 0 for a removal, or the length of the data plus one and the data.
    @inline(__always)
    mutating func appendChange(name: String, data: Data?) {
        appendName(name)
        guard let data else { return append(0) }
        data.withUnsafeBytes { value in
            appendLength(value.count + 1)
            append(contentsOf: value)
        }
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
