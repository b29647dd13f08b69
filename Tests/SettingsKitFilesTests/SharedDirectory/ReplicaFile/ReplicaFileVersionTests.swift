import Foundation
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("A file in the shared directory", .ownThreads)
struct ReplicaFileVersionTests {
    private func newerVersion(_ file: [UInt8]) -> Int? {
        if case .newerVersion(let version) = readReplicaFile(file) { version } else { nil }
    }

    private func isForeign(_ file: [UInt8]) -> Bool {
        if case .foreign = readReplicaFile(file) { true } else { false }
    }

    private static let rest =
        #""replica":"0000000000000005","device":"d","written":"2026-11-21T12:00:00.000Z","records":1"#

    @Test(
        "A file in the shared directory of a newer version is not read", arguments: [2, 3, 10, 999_999_999])
    func ofANewerVersionIs(version: Int) {
        let records = checkedLine(#"{"key":"a","value":1,"changed":"2026-11-21T12:00:00.000Z","by":"0000000000000005""#)
        for rest in ["," + Self.rest, #","new":1,"# + Self.rest] {
            let header = checkedLine(ReplicaFile.magic + "\"version\":\(version)" + rest)
            #expect(newerVersion(header) == version)
            #expect(newerVersion(header + records) == version)
        }
    }

    @Test(
        "A file in the shared directory of a newer version is not read whatever else that has changed",
        arguments: [
            "", #","replica":{"id":5}"#, #","device":null,"records":-1"#, #","written":1795262400"#, #","version":3"#,
            #","replica":"0123456789abcdef0123456789abcdef""#,
        ])
    func ofANewerVersion(rest: String) {
        #expect(newerVersion(checkedLine(ReplicaFile.magic + #""version":2"# + rest)) == 2)
    }

    @Test(
        "A file in the shared directory whose first line is damaged is of no version that is known, and its records count"
    )
    func whoseFirstLineIs() {
        var header = checkedLine(ReplicaFile.magic + #""version":2,"# + Self.rest)
        header[header.count - 4] ^= 1
        #expect(newerVersion(header) == nil)
        #expect(replicaFile(header)?.header == nil)
    }

    @Test(
        "A file in the shared directory that begins in another way is foreign",
        arguments: [
            "", "{", "{}", "[]", "\n", "text", "{\"settings\":\"replica\"}", "{\"settings\":\"replica\"",
            "{\"settings\":\"other\",",
            "{ \"settings\":\"replica\",", "{\"version\":1,\"settings\":\"replica\",", "{\"Settings\":\"replica\",",
            "bplist00",
            "<?xml version=\"1.0\"?>", "\u{FEFF}{\"settings\":\"replica\",\"version\":1}",
        ])
    func thatBeginsInAnother(text: String) {
        #expect(isForeign(Array(text.utf8)))
        #expect(isForeign(Array(text.utf8) + [0x0A] + sampleReplicaFile))
    }

    @Test("A file in the shared directory in another encoding is foreign")
    func inAnotherEncodingIs() throws {
        let text = String(decoding: sampleReplicaFile, as: UTF8.self)
        for encoding in [.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] as [String.Encoding] {
            let data = try #require(text.data(using: encoding))
            #expect(isForeign(Array(data)))
        }
    }

    @Test("A replica's file in the shared directory is recognized by its first bytes")
    func canBeToldBy() {
        for length in 0...64 {
            let isLong = length >= ReplicaFile.magic.utf8.count
            #expect(ReplicaFileReader.canBegin(sampleReplicaFile.prefix(length)) == isLong)
        }
    }

    @Test("A file in the shared directory of random bytes is foreign, and with the right beginning has no records")
    func ofRandomBytesIs() {
        for seed in Rounds.seeds(0..<20) {
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<50 {
                let bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                #expect(isForeign(bytes), "seed \(seed)")
                let file = replicaFile(Array(ReplicaFile.magic.utf8) + bytes)
                #expect(file?.header == nil, "seed \(seed)")
                #expect(file?.records.isEmpty == true, "seed \(seed)")
            }
        }
    }
}
