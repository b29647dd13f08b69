import Foundation

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// A journal's records with the bytes they make, and where each of them stands.
struct SampleJournal {
    private(set) var records: [JournalRecord] = []
    private(set) var bytes: [UInt8] = []
    /// Where each record begins among the bytes.
    private(set) var starts: [Int] = []
    /// Where the bytes begin in the file.
    let offset = UInt64(JournalHeader.size)

    /// Where the next record will stand in the file.
    var end: UInt64 { offset + UInt64(bytes.count) }
    var entries: [JournalEntry] { records.indices.map { JournalEntry(record: records[$0], end: offset(ofEnd: $0)) } }

    mutating func append(_ record: JournalRecord) {
        starts.append(bytes.count)
        records.append(record)
        JournalFrame.append(record, at: samplePlace(end), to: &bytes)
    }

    mutating func append(_ name: String, _ data: Data?) {
        append(.changes([JournalChange(name: name, data: data)]))
    }

    /// Where a record ends among the bytes.
    func end(_ index: Int) -> Int {
        index + 1 < starts.count ? starts[index + 1] : bytes.count
    }

    func range(_ index: Int) -> Range<UInt64> {
        (offset + UInt64(starts[index]))..<offset(ofEnd: index)
    }

    private func offset(ofEnd index: Int) -> UInt64 {
        offset + UInt64(end(index))
    }

    /// Twelve records of all kinds; the last is by far the longest.
    static func mixed() -> SampleJournal {
        var journal = SampleJournal()
        journal.append("window.width", Data("640".utf8))
        journal.append("window.height", nil)
        journal.append("leer", Data())
        journal.append(
            .changes([
                JournalChange(name: "👩‍🚀🚀", data: Data("漢😀".utf8)), JournalChange(name: "window.width", data: nil),
                JournalChange(name: "é", data: Data([0xF5, 0x53, 0x4B, 0x52])),
            ]))
        journal.append(.fold(through: journal.end, file: sampleVersion))
        journal.append(.end)
        // Frames that are right where they come from, and one that is right for where the frame around it stands.
        var frames = Data(journal.bytes)
        var frame: [UInt8] = []
        JournalFrame.appendChange(name: "false", data: Data("friend".utf8), at: samplePlace(journal.end), to: &frame)
        frames.append(contentsOf: frame)
        journal.append("journal", frames)
        journal.append(
            .adoption(
                file: sampleVersion, JournalEdit(removed: ["a", "große"], members: Data("<plist/>".utf8))))
        journal.append(.changes([]))
        journal.append(.restore(base: sampleVersion.digest, JournalEdit(removed: [], members: Data())))
        journal.append("journal", Data(frames.suffix(100)))
        journal.append(String(repeating: "long🚀", count: 512), Data(repeating: 0, count: 20))
        return journal
    }
}

let sampleJournal: UInt64 = 0x1122_3344_5566_7788

let sampleVersion = FileVersion(status: sampleStatus, checksum: 0x0102_0304)

func samplePlace(_ offset: UInt64) -> JournalPlace { JournalPlace(journal: sampleJournal, offset: offset) }

let sampleStatus = FileStatus(
    kind: .file, device: 1 << 63 | 5, inode: 0x0123_4567_89AB_CDEF, size: 4711,
    modified: FileStatus.Timestamp(seconds: -1, nanoseconds: 999_999_999),
    changed: FileStatus.Timestamp(seconds: 1_700_000_000, nanoseconds: 1), linkCount: 1)

/// A frame with right checks, whatever its body is and whatever length it is said to have.
func forgedFrame(_ body: [UInt8], length: Int? = nil, at offset: UInt64) -> [UInt8] {
    var frame: [UInt8] = []
    frame.appendLittleEndian(JournalFrame.marker)
    frame.appendLittleEndian(UInt32(length ?? body.count))
    frame.appendLittleEndian(sampleJournal)
    let check = frame.withUnsafeBytes { JournalFrame.headerCheck(of: $0, at: offset) }
    frame.appendLittleEndian(check)
    frame.appendLittleEndian(body.withUnsafeBytes { CRC32C.checksum($0, continuing: check) })
    return frame + body
}

func scan(_ bytes: some Collection<UInt8>, from offset: UInt64 = UInt64(JournalHeader.size)) -> JournalScan {
    Array(bytes).withUnsafeBytes { JournalScanner.scan($0, from: offset, of: sampleJournal) }
}

/// What is found in the sample journal.
func sampleScan(
    records: [JournalEntry] = [], end: UInt64, rest: JournalScan.Rest = .nothing, damaged: [Range<UInt64>] = []
) -> JournalScan {
    JournalScan(records: records, end: end, rest: rest, damaged: damaged, journal: sampleJournal)
}

func body(_ record: JournalRecord) -> [UInt8] {
    var bytes: [UInt8] = []
    record.appendBody(to: &bytes)
    return bytes
}

func record(_ body: [UInt8]) -> JournalRecord? {
    body.withUnsafeBytes { JournalRecord(body: $0) }
}

/// Random records.
struct RandomJournalRecord {
    var values: RandomPropertyList

    init(seed: UInt64) {
        values = RandomPropertyList(seed: seed)
    }

    mutating func record() -> JournalRecord {
        switch Int.random(in: 0..<8, using: &values.generator) {
        case 0: return .end
        case 1: return .fold(through: 0, file: version())
        case 2:
            let removed = (0..<Int.random(in: 0...3, using: &values.generator)).map { _ in values.string() }
            return .adoption(file: version(), JournalEdit(removed: removed, members: values.data()))
        case 3:
            let base = Bool.random(using: &values.generator) ? version().digest : nil
            return .restore(base: base, JournalEdit(removed: [], members: values.data()))
        case 4: return .members(JournalEdit(removed: [values.string()], members: values.data()))
        default:
            return .changes((0..<Int.random(in: 0...4, using: &values.generator)).map { _ in change() })
        }
    }

    mutating func change() -> JournalChange {
        let isRemoved = Bool.random(using: &values.generator)
        let factor = Int.random(in: 0...3, using: &values.generator)
        let name = values.string() + String(repeating: "x", count: factor * 70)
        return JournalChange(name: name, data: isRemoved ? nil : values.data())
    }

    private mutating func version() -> FileVersion {
        FileVersion(status: status(), checksum: UInt32.random(in: .min ... .max, using: &values.generator))
    }

    private mutating func status() -> FileStatus {
        var numbers = (0..<8).map { _ in values.generator.next() }
        func next() -> UInt64 { numbers.removeLast() }
        func signed() -> Int64 { Int64(bitPattern: next()) }
        return FileStatus(
            kind: .file, device: next(), inode: next(), size: signed(),
            modified: FileStatus.Timestamp(seconds: signed(), nanoseconds: signed()),
            changed: FileStatus.Timestamp(seconds: signed(), nanoseconds: signed()), linkCount: next())
    }
}

extension JournalFrame {
    /// Appends the record of one change.
    static func appendChange(name: String, data: Data?, at place: JournalPlace, to bytes: inout [UInt8]) {
        withChange(name: name, data: data, at: place) { bytes.append(contentsOf: $0) }
    }
}
