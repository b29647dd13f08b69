import Foundation
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("Members that a newer version has added")
struct UnknownMembersTests {
    private static let fields = [
        #""new":1"#, #""new":null"#, #""new":{"a":[1, 2],"b":"x"}"#, #""new": 1"#, #""":"""#, #""a":1,"b":2,"a":3"#,
        #""é\u0041":"👍","z":-0.0e0"#, #""check":"00000000""#, #""Key":1"#, #""keys":1"#, #""va\u006cue":1"#,
    ]

    private func header(_ fields: String) -> String {
        ReplicaFile.magic
            + #""version":1,"replica":"0000000000000005","device":"d","written":"2026-11-21T12:00:00.000Z","#
            + #""records":1"# + fields
    }

    private func record(_ fields: String) -> String {
        #"{"key":"a","value":1,"changed":"2026-11-21T12:00:00.000Z","by":"0000000000000005""# + fields
    }

    @Test(
        "Members that a newer version has added of a record are kept to the byte, and written back",
        arguments: fields + [#""settings":"replica","version":2,"replica":5,"device":0,"written":"","records":-1"#])
    func ofARecordAre(fields: String) throws {
        let bytes = checkedLine(header("")) + checkedLine(record("," + fields))
        let file = try #require(replicaFile(bytes))
        #expect(file.records.map(\.entry.unknownFields) == [Array(fields.utf8)])
        let header = try #require(file.header)
        #expect(ReplicaFileWriter.bytes(header, file.records) == bytes)
    }

    @Test(
        "Members that a newer version has added of the first line are kept to the byte, and written back",
        arguments: fields + [#""key":"a","value":{},"data":"","deleted":false,"changed":0,"order":-1,"by":"me""#])
    func ofTheFirstLine(fields: String) throws {
        let bytes = checkedLine(header("," + fields)) + checkedLine(record(""))
        let file = try #require(replicaFile(bytes))
        let header = try #require(file.header)
        #expect(header.unknownFields == Array(fields.utf8))
        #expect(ReplicaFileWriter.bytes(header, file.records) == bytes)
    }

    @Test("Members that a newer version has added are kept in their order wherever they stand")
    func areKeptInTheir() throws {
        let line =
            #"{"x":1,"key":"a","y":[2],"value":1,"changed":"2026-11-21T12:00:00.000Z","z": "3","by":"0000000000000005","x":4"#
        let file = try #require(replicaFile(checkedLine(header("")) + checkedLine(line)))
        let fields = try #require(file.records.first?.entry.unknownFields)
        #expect(String(decoding: fields, as: UTF8.self) == #""x":1,"y":[2],"z": "3","x":4"#)
        let again = ReplicaFileWriter.bytes(try #require(file.header), file.records)
        #expect(replicaFile(again)?.records == file.records)
    }

    @Test("Members that a newer version has added survive the way through the local state")
    func surviveTheWayThrough() throws {
        let fields = Self.fields.joined(separator: ",")
        let file = try #require(replicaFile(checkedLine(header("")) + checkedLine(record("," + fields))))
        let entry = try #require(file.records.first?.entry)
        #expect(SharedEntry(entry.bytes) == entry)
    }
}
