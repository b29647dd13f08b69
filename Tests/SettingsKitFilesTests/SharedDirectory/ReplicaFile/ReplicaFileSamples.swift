import Foundation

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// What is in some bytes; nil if they are no replica's file, or a newer version's.
func replicaFile(_ bytes: [UInt8]) -> ReplicaFile? {
    if case .file(let file) = readReplicaFile(bytes) { file } else { nil }
}

func readReplicaFile(_ bytes: [UInt8]) -> ReplicaFileReader.Result {
    bytes.withUnsafeBufferPointer(ReplicaFileReader.read)
}

/// A line with a right check.
///
/// - Parameter members: All of the line that stands before the check, from the opening brace.
func checkedLine(_ members: String) -> [UInt8] {
    var line = Array(members.utf8)
    LineCheck.append(to: &line, from: 0)
    return line
}

let sampleHeader = ReplicaHeader(
    replica: ReplicaID(0x1F0A_0000_0000_00C3), device: "Ann's \"laptop\" 💻", written: Device.noon, recordCount: 5)

/// Records of all kinds.
let sampleReplicaRecords = [
    SharedRecord(name: "theme", entry: sharedEntry("\"dark\"", Device.noon - 1, by: 0x1F0A_0000_0000_00C3)),
    SharedRecord(name: "nickname", entry: sharedEntry(nil, Device.noon - Device.day, order: 3, by: 0x77C2)),
    SharedRecord(name: "größe 👩‍🚀", entry: sharedEntry("[1, {\"a\":null}]", 0, by: .max)),
    SharedRecord(name: "line\nbreak", entry: sharedEntry("\n", Instant.latestMilliseconds, order: 65_535, by: 0)),
    SharedRecord(
        name: "new", entry: sharedEntry("1", Device.noon, by: 0x77C2, unknown: #""color":"blue","tags":[1, 2]"#)),
]

let sampleReplicaFile = ReplicaFileWriter.bytes(sampleHeader, sampleReplicaRecords)

/// A file with one value.
func replicaFile(of value: Data?, named name: String = "name") -> [UInt8] {
    let stamp = Stamp(Instant(milliseconds: Device.noon), replica: 5)
    let record = SharedRecord(name: name, entry: SharedEntry(stamp: stamp, value: value))
    return ReplicaFileWriter.bytes(sampleHeader, [record])
}

/// The lines of a file, without their line breaks.
func lines(of file: [UInt8]) -> [[UInt8]] {
    file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map { Array($0) }
}

extension Sequence<SharedRecord> {
    /// Whether these are the same to the byte: two spellings of a name are one for Swift.
    func isIdentical(to others: some Sequence<SharedRecord>) -> Bool {
        elementsEqual(others) { $0 == $1 && $0.name.utf8.elementsEqual($1.name.utf8) }
    }
}
