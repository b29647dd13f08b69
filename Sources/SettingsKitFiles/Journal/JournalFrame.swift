import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The place of a record.
package struct JournalPlace: Sendable, Equatable {
    /// The journal's ``JournalHeader/id``.
    package var journal: UInt64
    /// The offset in its file.
    package var offset: UInt64
}

/// The form of a record in a journal: a header, with the length and the check of the body, and the body.
///
/// The header has, with little-endian numbers: four marker bytes; the length of the body in four bytes; the journal's
/// id in eight; the check of the frame's offset in the file, as eight bytes, and of the header so far; and the check of
/// the body, which continues that of the header. Because of the offset, the bytes of a frame at another place, for
/// instance in a value, are not a frame. Because the header has a check, its length can be trusted before the body is
/// read. The id excludes remains of other files on the disk, and identifies a journal whose header is lost.
package enum JournalFrame {
    package static let headerSize = 24
    /// The longest body that may be appended. Check ``bodySize(of:)`` before appending a record that could be longer.
    package static let bodyLimit = Int(Int32.max)

    /// The marker's bytes, as a little-endian number. Its first byte does not occur in UTF-8 text.
    static let marker: UInt32 = 0x524B_53F5
    static let firstByte = UInt8(truncatingIfNeeded: marker)
    /// The placeholder of a header until the body is complete.
    private static let emptyHeader = [UInt8](repeating: 0, count: headerSize)
    /// The length of the part of the header that its check covers.
    static let checkedSize = 16

    /// Appends `record` for `place`. Its body must not be longer than ``bodyLimit``.
    package static func append(_ record: JournalRecord, at place: JournalPlace, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: emptyHeader)
        record.appendBody(to: &bytes)
        bytes.withUnsafeMutableBytes { finish(UnsafeMutableRawBufferPointer(rebasing: $0[start...]), at: place) }
    }

    /// Returns the frame of `record` at `place`.
    static func bytes(of record: JournalRecord, at place: JournalPlace) -> [UInt8] {
        var bytes: [UInt8] = []
        if case .changes(let changes) = record { bytes.reserveCapacity(headerSize + bodySize(of: changes)) }
        append(record, at: place, to: &bytes)
        return bytes
    }

    /// Calls `body` with the record of one change: the same bytes as a `.changes` with only this change, but without allocation,
    /// except for a long frame.
    package static func withChange(
        name: String, data: Data?, at place: JournalPlace, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        var name = name
        try name.withUTF8 { name in
            let size = headerSize + JournalRecord.bodySize(ofChange: name.count, data)
            try withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { frame in
                var output = JournalMemory(frame.baseAddress.unsafelyUnwrapped + headerSize)
                JournalRecord.appendBody(ofChange: name, data, to: &output)
                finish(frame, at: place)
                try body(UnsafeRawBufferPointer(frame))
            }
        }
    }

    /// The size of the body of a record of `changes`. Linear in their number.
    package static func bodySize(of changes: [JournalChange]) -> Int {
        JournalRecord.bodySize(of: changes)
    }

    /// Writes the header of a frame.
    @inline(__always)
    private static func finish(_ frame: UnsafeMutableRawBufferPointer, at place: JournalPlace) {
        let length = frame.count - headerSize
        precondition(length <= bodyLimit, "a record is too long for a journal")
        frame.storeBytes(of: marker.littleEndian, toByteOffset: 0, as: UInt32.self)
        frame.storeBytes(of: UInt32(length).littleEndian, toByteOffset: 4, as: UInt32.self)
        frame.storeBytes(of: place.journal.littleEndian, toByteOffset: 8, as: UInt64.self)
        let headerCheck = headerCheck(of: UnsafeRawBufferPointer(frame), at: place.offset)
        let body = UnsafeRawBufferPointer(rebasing: frame[headerSize...])
        let bodyCheck = CRC32C.checksum(body, continuing: headerCheck)
        frame.storeBytes(of: headerCheck.littleEndian, toByteOffset: 16, as: UInt32.self)
        frame.storeBytes(of: bodyCheck.littleEndian, toByteOffset: 20, as: UInt32.self)
    }

    /// The check of the header at the beginning of `frame`, which is at `offset` in the file.
    @inline(__always)
    static func headerCheck(of frame: UnsafeRawBufferPointer, at offset: UInt64) -> UInt32 {
        let place = withUnsafeBytes(of: offset.littleEndian) { CRC32C.checksum($0) }
        return CRC32C.checksum(UnsafeRawBufferPointer(rebasing: frame[..<checkedSize]), continuing: place)
    }
}
