import SettingsKitPlatform

/// A file with the settings that a replica knows, in JSON Lines: one record a line.
///
/// ```
/// {"settings":"replica","version":1,"replica":"1f0a…","device":"laptop","written":"2026-…","records":2,"check":"5d41402a"}
/// {"key":"theme","value":"dark","changed":"2026-11-21T15:04:05.120Z","by":"1f0a…","check":"b1946ac9"}
/// {"key":"nickname","deleted":true,"changed":"2026-11-20T08:00:00.000Z","epoch":1,"by":"77c2…","check":"2510c390"}
/// ```
///
/// Every line ends with the CRC-32C of the bytes before its check. So the intact lines of a damaged or half-delivered
/// file can be used. Unknown members are kept. A value that is not JSON is stored in base 64 as `data`.
/// ``ReplicaFileWriter`` writes the format, and ``ReplicaFileReader`` reads it.
///
/// A replica with many settings spreads them over several files, its *parts*: the *head*, part 0, which lists the
/// others, and parts 1, 2, … of growing size.
struct ReplicaFile: Sendable, Hashable {
    /// The first line. Nil if it is damaged.
    var header: ReplicaHeader?
    var records: [SharedRecord] = []
    /// The number of damaged lines.
    var damagedLines = 0
    /// The number of intact records whose name or value exceeds its limit. They are not among ``records``.
    var oversizedRecords = 0

    /// Whether the file has everything that its writer has written.
    var isComplete: Bool {
        guard let header else { return false }
        return records.count + oversizedRecords >= header.recordCount && damagedLines == 0
    }

    /// The beginning of every replica's file, in all versions of the format.
    static let magic = "{\"settings\":\"replica\","
    /// The version of the format. A file with a greater version is not read. Members that this version can keep without knowing
    /// them do not change it.
    static let version = 1
}

/// The first line of a replica's file.
struct ReplicaHeader: Sendable, Hashable {
    var replica: ReplicaID
    /// The device's name for people.
    var device: String
    /// When the file was written, in milliseconds since 1970, by the device's clock.
    var written: Int64
    var recordCount: Int
    /// The number of the part: 0 for the head.
    var part = 0
    /// Identifies this version of the part. Nil for a head.
    var serial: UInt64?
    /// The serials of parts 1, 2, …, in a head. Nil for a part that does not exist.
    var parts: [UInt64?] = []
    /// The number of settings in all parts together, in a head that lists parts.
    var total: Int?
    /// The times up to which the writer accepts entries although they are ahead of the clock.
    var accepted = AcceptedTimes()
    /// The moments up to which the writer has heard the changes of each replica, its own included.
    var heard = HeardMoments()
    /// Members that a newer version has added, as JSON text.
    var unknownFields: [UInt8] = []
}

/// Writes and verifies the check at the end of a line.
enum LineCheck {
    private static let opening = Array(",\"check\":\"".utf8)
    private static let closing = Array("\"}".utf8)
    /// The number of bytes that the check takes at the end of a line.
    static let size = 20

    /// Completes the line that begins at `start`, and lacks its last brace, with its check and a line break.
    static func append(to output: inout [UInt8], from start: Int) {
        let check = output[start...].withUnsafeBytes { CRC32C.checksum($0) }
        output.append(contentsOf: opening)
        check.appendHexDigits(to: &output)
        output.append(contentsOf: closing)
        output.append(UInt8(ascii: "\n"))
    }

    /// Returns the range of a line before its check. Nil if the check is wrong.
    static func checked(_ line: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard line.count > size else { return nil }
        let start = line.upperBound - size
        let digits = (start + opening.count)..<(start + opening.count + 8)
        guard bytes[start..<digits.lowerBound].elementsEqual(opening),
            bytes[digits.upperBound..<line.upperBound].elementsEqual(closing),
            let check = UInt32(hexDigits: bytes[digits])
        else { return nil }
        let text = UnsafeBufferPointer(rebasing: bytes[line.lowerBound..<start])
        return CRC32C.checksum(UnsafeRawBufferPointer(text)) == check ? line.lowerBound..<start : nil
    }
}
