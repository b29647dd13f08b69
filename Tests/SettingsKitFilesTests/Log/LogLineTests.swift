import Foundation
import Testing

@testable import SettingsKitFiles

/// Reads the complete lines of a text.
func logLines(_ bytes: [UInt8]) -> [LogLineReader.Result] {
    var lines: [LogLineReader.Result] = []
    _ = LogLineReader.read(bytes) { line, _ in lines.append(line) }
    return lines
}

/// Completes members with a check, whatever they are.
func checkedLogLine(_ members: String) -> [UInt8] {
    var line = Array("{\(members)".utf8)
    LogCheck.append(to: &line, from: 0)
    return line
}

@Suite("The lines of a log")
struct LogLineTests {
    private static let stamp = LogStamp(milliseconds: 1_795_262_400_000, counter: 3, replica: 0x1F0A_72D3_C4B5_9687)

    private static func change(_ name: String, _ text: String?) -> LogChange {
        LogChange(name: name, data: text.map { Data($0.utf8) })
    }

    static let lines: [LogLine] =
        [
            .beginning(log: 0x8C04_F1D2_A97B_E350), .failedFlush, .replaced,
            .replica(LogReplica(id: 7, device: "Ann's \"laptop\"\n\u{E9}")),
            .changes(LogChanges(changes: [change("volume", "0.8")])),
            .changes(LogChanges(changes: [LogChange(name: "d", member: .date(0)), change("e", "1")])),
            .list(LogList(digest: FileDigest(size: 1_841, checksum: 0x5E0B_11AA), kind: .announced)),
            .list(LogList(digest: FileDigest(size: 0, checksum: 7), kind: .printed(through: 1_409))),
            .list(LogList(digest: nil, kind: .printed(through: 0))),
            .list(LogList(digest: nil, kind: .imported([], shown: []))),
            .list(
                LogList(
                    digest: FileDigest(size: 9, checksum: .max),
                    kind: .imported(
                        [change("a", nil), LogChange(name: "r", member: .array([.real(1)]))], shown: ["b\""])
                )),
            .changes(LogChanges(changes: [change("a", nil)], stamp: stamp)),
            .changes(LogChanges(changes: [change("a", "1"), change("b", nil), change("\u{1F600}\"\n", "{}")])),
            .changes(
                LogChanges(
                    changes: [change("a", "[1,2]"), change("b", "\"x\"")], stamp: stamp,
                    unknownMembers: Array("\"new\":[1,{\"a\":null}]".utf8))),
            .changes(LogChanges(changes: [change("a", "1")], stamp: LogStamp(time: 0, replica: 1))),
            .changes(LogChanges(changes: [change("a", "1")], stamp: LogStamp(time: LogStamp.end - 1, replica: 1))),
        ]
        + [
            Data(), Data([0, 255, 10]), Data("1\n".utf8), Data(" 1".utf8), Data("\"a\r\"".utf8), Data("{".utf8),
            Data("1.50".utf8), Data("\"\\u00e9\"".utf8), Data("true".utf8), Data("[ 1 ]".utf8),
        ].map { .changes(LogChanges(changes: [LogChange(name: "a", data: $0)])) }

    @Test("A line that is written is read as it was", arguments: lines)
    func roundTrip(line: LogLine) {
        #expect(line.bytes.count { $0 == UInt8(ascii: "\n") } == 1 && line.bytes.last == UInt8(ascii: "\n"))
        #expect(logLines(line.bytes) == [.line(line)])
    }

    @Test("Lines follow one another, and a tool may have changed the line breaks", arguments: ["\n", "\r\n"])
    func lineBreaks(lineBreak: String) {
        let text = Self.lines.map { String(decoding: $0.bytes.dropLast(), as: UTF8.self) + lineBreak }.joined()
        #expect(logLines(Array(text.utf8)) == Self.lines.map { .line($0) })
    }

    @Test(
        "A batch inside a batch or a list, however deep, and unknown members for many names are damage",
        arguments: [
            String(repeating: #"{"set":["#, count: 100_000), String(repeating: #"{"plist":"#, count: 100_000),
            #"{"plist":{"plist":{"size":1,"crc":"00000001"}}"#, #"{"set":[{"set":[{"key":"a","value":1}]}]"#,
            "{\"set\":[\(Array(repeating: #"{"key":"a","value":1}"#, count: 1_000).joined(separator: ","))],\"new\":\""
                + String(repeating: "x", count: 10_000) + "\"",
        ])
    func nested(text: String) {
        #expect(logLines(checkedLogLine(String(text.dropFirst()))) == [.damaged])
    }

    @Test("A line with any byte changed is damaged, and a line without its end is not read", arguments: lines)
    func damage(line: LogLine) {
        let bytes = line.bytes
        for index in bytes.indices.dropLast() {
            for bit in [1, 0x20, 0x80] as [UInt8] {
                var damaged = bytes
                damaged[index] ^= bit
                // A line break in the middle makes two damaged lines.
                #expect(logLines(damaged).allSatisfy { $0 == .damaged }, "byte \(index)")
            }
            #expect(logLines(Array(bytes[..<index])).isEmpty)
        }
        #expect(logLines(Array(bytes.dropLast()) + bytes) == [.damaged])
    }

    @Test(
        "A line with a right check that has no meaning is damaged",
        arguments: [
            "", "\"key\":\"a\"", "\"value\":1", "\"key\":1,\"value\":1", "\"key\":\"a\\u0000\",\"value\":1",
            "\"key\":\"a\",\"value\":1,\"value\":1", "\"key\":\"a\",\"value\":1,\"data\":\"MQ==\"",
            "\"key\":\"a\",\"deleted\":false", "\"key\":\"a\",\"data\":\"MQ\"", "\"key\":\"a\",\"value\":",
            "\"key\":\"a\",\"value\":1,", "\"key\":\"a\" \"value\":1", "\"key\":\"a\",\"value\":1}",
            "\"set\":[]", "\"set\":[1]", "\"set\":[{\"key\":\"a\"}]", "\"set\":[{\"key\":\"a\",\"value\":1}",
            "\"set\":[{\"key\":\"a\",\"value\":1}],\"key\":\"b\",\"value\":1",
            "\"set\":[{\"key\":\"a\",\"value\":1,\"by\":\"0000000000000001\"}]",
            "\"set\":[{\"key\":\"a\",\"value\":1,\"flush\":\"failed\"}]",
            "\"set\":[{\"set\":[{\"key\":\"a\",\"value\":1}]}]",
            "\"key\":\"a\",\"value\":1,\"by\":\"0000000000000001\"",
            "\"key\":\"a\",\"value\":1,\"changed\":\"2026-11-21T12:00:00.000Z\"",
            "\"key\":\"a\",\"value\":1,\"changed\":\"2026-11-21\",\"by\":\"0000000000000001\"",
            "\"key\":\"a\",\"value\":1,\"changed\":\"2026-11-21T12:00:00.000Z\",\"by\":\"1\"",
            "\"key\":\"a\",\"value\":1,\"changed\":\"2026-11-21T12:00:00.000Z\",\"order\":65536,\"by\":\"0000000000000001\"",
            "\"key\":\"a\",\"value\":1,\"changed\":\"2200-01-01T00:00:00.000Z\",\"by\":\"0000000000000001\"",
            "\"plist\":{}", "\"plist\":{\"size\":1}", "\"plist\":{\"size\":1,\"crc\":\"00000000\",\"shows\":[]}",
            "\"plist\":{\"set\":[]}", "\"plist\":{\"through\":1,\"set\":[],\"shows\":[]}",
            "\"plist\":{\"through\":1,\"key\":\"a\"}", "\"key\":\"a\",\"plist\":\"<date>x</date>\"",
            "\"key\":\"a\",\"plist\":\"<true/>\",\"value\":1", "\"flush\":\"done\"",
            "\"flush\":\"failed\",\"key\":\"a\",\"value\":1", "\"replica\":\"0000000000000001\"",
            "\"device\":\"d\"", "\"replica\":\"1\",\"device\":\"d\"",
            "\"settings\":\"log\",\"version\":1", "\"settings\":\"list\",\"version\":1,\"log\":\"0000000000000001\"",
            "\"settings\":\"log\",\"log\":\"0000000000000001\"",
        ])
    func refused(members: String) {
        #expect(logLines(checkedLogLine(members)) == [.damaged])
    }

    @Test("A newer version is recognized, whatever else it writes")
    func newerVersion() {
        let line = checkedLogLine("\"settings\":\"log\",\"version\":2,\"log\":\"0000000000000001\",\"more\":[]")
        #expect(logLines(line) == [.newerVersion(2)])
    }

    @Test(
        "The first bytes show whether a file is a log",
        arguments: [
            (LogLine.newBeginning.bytes, .log), (Array(LogLine.magic.utf8), .log), ([], .damaged),
            ([0, 0, 0], .damaged), (Array(LogLine.magic.utf8.prefix(5)), .damaged), (Array("{\"a\":1}".utf8), .foreign),
            (Array("bplist00".utf8), .foreign),
        ] as [([UInt8], LogLineReader.Beginning)])
    func beginning(bytes: [UInt8], expected: LogLineReader.Beginning) {
        #expect(LogLineReader.beginning(of: bytes) == expected)
    }
}
