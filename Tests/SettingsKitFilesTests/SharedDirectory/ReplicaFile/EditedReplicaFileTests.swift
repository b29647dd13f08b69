import Foundation
import Testing

@testable import SettingsKitFiles

/// What other programs do to text files without harm.
@Suite("Replica files edited by other programs")
struct EditedReplicaFileTests {
    private static let lines = SettingsKitFilesTests.lines(of: sampleReplicaFile)

    private func read(_ bytes: some Sequence<UInt8>) throws -> ReplicaFile {
        try #require(replicaFile(Array(bytes)))
    }

    private func expectAll(_ file: ReplicaFile) {
        #expect(file.header == sampleHeader)
        #expect(file.records.isIdentical(to: sampleReplicaRecords))
        #expect(file.isComplete)
    }

    @Test("A replica's file with changed line breaks is read")
    func changedTheLineBreaks() throws {
        let file = Array(Self.lines.joined(separator: Array("\r\n".utf8)))
        expectAll(try read(file + Array("\r\n".utf8)))
        expectAll(try read(file))
        expectAll(try read(file + [0x0D]))
    }

    @Test("A replica's file without its last line break is read")
    func takenTheLastLine() throws {
        expectAll(try read(sampleReplicaFile.dropLast()))
    }

    @Test("A replica's file with added empty lines is read")
    func putInEmptyLines() throws {
        expectAll(try read(Self.lines.joined(separator: Array("\n\n".utf8)) + Array("\n\n\r\n\n".utf8)))
    }

    @Test("A replica's file with its lines sorted after the first is read")
    func sortedTheLinesAfter() throws {
        let file = try read(([Self.lines[0]] + Self.lines.dropFirst().reversed()).joined(separator: [0x0A]))
        #expect(file.records.isIdentical(to: sampleReplicaRecords.reversed()))
        #expect(file.isComplete)
    }

    @Test("A replica's file with doubled records has each of them twice")
    func doubledTheRecordsHas() throws {
        let file = try read((Self.lines + Self.lines.dropFirst()).joined(separator: [0x0A]))
        #expect(file.records.isIdentical(to: sampleReplicaRecords + sampleReplicaRecords))
        #expect(file.isComplete)
    }

    @Test(
        "A replica's file merged with another has the records of both",
        arguments: [true, false])
    func madeOneWithAnother(isUnion: Bool) throws {
        var header = sampleHeader
        header.replica = ReplicaID(9)
        let others = [SharedRecord(name: "theme", entry: sharedEntry("1", Device.noon, by: 9))]
        let other = SettingsKitFilesTests.lines(of: ReplicaFileWriter.bytes(header, others))
        // A union merge has both sides' lines of each place where they differ: here first the headers, then the records.
        let union = [Self.lines[0], other[0]] + Self.lines.dropFirst() + other.dropFirst()
        let file = try read((isUnion ? union : Self.lines + other).joined(separator: [0x0A]))
        #expect(file.records.isIdentical(to: sampleReplicaRecords + others))
        #expect(file.header == sampleHeader)
    }

    @Test(
        "A file with bytes before a replica's first line is not a replica's file",
        arguments: ["\u{FEFF}", " ", "\n", "x", "\0"])
    func putSomethingBeforeThe(beginning: String) {
        guard case .foreign = readReplicaFile(Array(beginning.utf8) + sampleReplicaFile) else {
            Issue.record("not foreign")
            return
        }
    }
}
