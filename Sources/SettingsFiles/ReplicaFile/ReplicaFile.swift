/// The file in which a replica tells the others what it knows: JSON Lines, one record a line.
///
/// ```
/// {"settings":"replica","version":1,"replica":"1f0a…","device":"Ann's laptop","written":"2026-11-21T15:04:05.123Z","records":2,"check":"5d41402a"}
/// {"key":"theme","value":"dark","changed":"2026-11-21T15:04:05.120Z","by":"1f0a…","check":"b1946ac9"}
/// {"key":"nickname","deleted":true,"changed":"2026-11-20T08:00:00.000Z","order":3,"epoch":1,"by":"77c2…","check":"2510c390"}
/// ```
///
/// Every line ends with the CRC-32C of what stands before its check, so that what is left of a damaged or half-delivered
/// file is known to be whole. Members that are not known are kept. A value that is no JSON stands in base 64 as `data`.
/// ``ReplicaFileWriter`` writes the format, ``ReplicaFileReader`` reads it.
///
/// A replica with many settings spreads them over several files, its *parts*: the *head*, part 0, which lists the others,
/// and parts 1, 2, … of growing size.
struct ReplicaFile: Sendable, Hashable {
    /// Nil if the first line is not whole.
    var header: ReplicaHeader?
    var records: [SharedRecord] = []
    /// How many lines there are that are not whole.
    var damagedLines = 0
    /// How many intact records have a name or a value that is larger than allowed. They are not among ``records``.
    var oversizedRecords = 0

    /// Whether everything is there that its writer has written.
    var isComplete: Bool {
        guard let header else { return false }
        return records.count + oversizedRecords >= header.recordCount && damagedLines == 0
    }

    /// How a file of any replica, any version, begins.
    static let magic = "{\"settings\":\"replica\","
    /// A file with a larger number is for newer versions of this library only. What they add in a way that this one can
    /// keep does not change the number.
    static let version = 1

    /// Larger numbers are not read. No version, count or order comes near it.
    static let numberLimit = 999_999_999
    /// Larger files are not read.
    static let sizeLimit = 64 << 20
    /// Longer lines are not read.
    static let lineLimit = 32 << 20
    /// A larger value, or a longer name, can neither be set nor is it read. In base 64, or with all that must be escaped,
    /// values and names up to these limits fit into a line.
    static let valueLimit = 16 << 20
    static let nameLimit = 1 << 20
    /// A head that lists more parts is damaged.
    static let partLimit = 99
}

/// The first line of a replica's file.
struct ReplicaHeader: Sendable, Hashable {
    var replica: ReplicaID
    /// What people call the device.
    var device: String
    /// When the file was written, in milliseconds since 1970, by the device's clock.
    var written: Int64
    var recordCount: Int
    /// Which part of the replica's records the file has. 0 is the head.
    var part = 0
    /// Tells this version of the part from all others. A head has none.
    var serial: UInt64?
    /// The serials of parts 1, 2, …, in a head; nil for a part that does not exist.
    var parts: [UInt64?] = []
    /// How many settings all parts have together, in a head that lists parts.
    var total: Int?
    /// What its writer accepts although it is ahead of the clock.
    var accepted = AcceptedTimes()
    /// Up to which moment its writer has the changes of each replica, its own included.
    var heard = HeardMoments()
    /// Members that a newer version has added, as JSON text.
    var unknownFields: [UInt8] = []
}

/// What is said of a line's check.
enum LineCheck {
    private static let opening = Array(",\"check\":\"".utf8)
    private static let closing = Array("\"}".utf8)
    /// How many bytes it takes at the end of a line.
    static let size = 20

    /// Ends the line that begins at `start`, whose last brace is missing, with its check and a line break.
    static func append(to output: inout [UInt8], from start: Int) {
        let check = output[start...].withUnsafeBytes { CRC32C.checksum($0) }
        output.append(contentsOf: opening)
        HexText.append(check, to: &output)
        output.append(contentsOf: closing)
        output.append(UInt8(ascii: "\n"))
    }

    /// What of a line stands before its check; nil if the check is not right.
    static func checked(_ line: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard line.count > size else { return nil }
        let start = line.upperBound - size
        let digits = (start + opening.count)..<(start + opening.count + 8)
        guard bytes[start..<digits.lowerBound].elementsEqual(opening),
            bytes[digits.upperBound..<line.upperBound].elementsEqual(closing),
            let check: UInt32 = HexText.number(bytes[digits])
        else { return nil }
        let text = UnsafeBufferPointer(rebasing: bytes[line.lowerBound..<start])
        return CRC32C.checksum(UnsafeRawBufferPointer(text)) == check ? line.lowerBound..<start : nil
    }
}
