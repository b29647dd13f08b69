import Foundation
import Testing

@testable import SettingsKitFiles

/// What other programs do to text files without harm.
@Suite struct `A replica's file of which somebody has` {
    private static let lines = SettingsKitFilesTests.lines(of: sampleReplicaFile)

    private func read(_ bytes: some Sequence<UInt8>) throws -> ReplicaFile {
        try #require(replicaFile(Array(bytes)))
    }

    private func expectAll(_ file: ReplicaFile) {
        #expect(file.header == sampleHeader)
        #expect(file.records.isIdentical(to: sampleReplicaRecords))
        #expect(file.isComplete)
    }

    @Test func `changed the line breaks is read`() throws {
        let file = Array(Self.lines.joined(separator: Array("\r\n".utf8)))
        expectAll(try read(file + Array("\r\n".utf8)))
        expectAll(try read(file))
        expectAll(try read(file + [0x0D]))
    }

    @Test func `taken the last line break is read`() throws {
        expectAll(try read(sampleReplicaFile.dropLast()))
    }

    @Test func `put in empty lines is read`() throws {
        expectAll(try read(Self.lines.joined(separator: Array("\n\n".utf8)) + Array("\n\n\r\n\n".utf8)))
    }

    @Test func `sorted the lines after the first is read`() throws {
        let file = try read(([Self.lines[0]] + Self.lines.dropFirst().reversed()).joined(separator: [0x0A]))
        #expect(file.records.isIdentical(to: sampleReplicaRecords.reversed()))
        #expect(file.isComplete)
    }

    @Test func `doubled the records has each of them twice`() throws {
        let file = try read((Self.lines + Self.lines.dropFirst()).joined(separator: [0x0A]))
        #expect(file.records.isIdentical(to: sampleReplicaRecords + sampleReplicaRecords))
        #expect(file.isComplete)
    }

    @Test(arguments: [true, false])
    func `made one with another has the records of both`(isUnion: Bool) throws {
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

    @Test(arguments: ["\u{FEFF}", " ", "\n", "x", "\0"])
    func `put something before the first line is not taken for one`(beginning: String) {
        guard case .foreign = readReplicaFile(Array(beginning.utf8) + sampleReplicaFile) else {
            Issue.record("not foreign")
            return
        }
    }
}
