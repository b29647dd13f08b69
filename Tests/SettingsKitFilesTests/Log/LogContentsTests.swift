import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

@Suite("The contents of a log")
struct LogContentsTests {
    private static func line(_ values: [String: String?], at time: UInt64? = nil, by replica: UInt64 = 1) -> LogChanges
    {
        LogChanges(
            changes: values.sorted { $0.key < $1.key }.map { LogChange(name: $0, data: $1.map { Data($0.utf8) }) },
            stamp: time.map { LogStamp(time: $0, replica: replica) })
    }

    /// Lines with few names, times and values, so that many of them meet.
    private static func randomLines(_ count: Int, _ random: inout SeededGenerator) -> [LogChanges] {
        (0..<count).map { _ in
            var values: [String: String?] = [:]
            for _ in 0...Int.random(in: 0...1, using: &random) {
                values[["a", "b", "c"].randomElement(using: &random)!] = .some(
                    ["1", "2", nil].randomElement(using: &random)!)
            }
            return line(values, at: .random(in: 1...4, using: &random), by: .random(in: 1...3, using: &random))
        }
    }

    /// What the entries say, without who wrote equal ones.
    private static func values(_ contents: LogContents) -> [String: String] {
        contents.entries.mapValues {
            "\($0.data.map { String(decoding: $0, as: UTF8.self) } ?? "-") \($0.stamp?.time ?? 0)"
        }
    }

    @Test("Merging is commutative, associative and idempotent", arguments: Rounds.seeds(0..<400, part: 100))
    func algebra(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let lines = Self.randomLines(8, &random)
        let expected = Self.values(LogContents(lines))
        for _ in 0..<5 {
            let other = (lines + lines.prefix(3)).shuffled(using: &random)
            #expect(Self.values(LogContents(other)) == expected, "seed \(seed)")
        }
        // The greatest line of a name is in force.
        for (name, entry) in LogContents(lines).entries {
            for line in lines {
                guard let change = line.changes.first(where: { $0.name == name }), let stamp = line.stamp else {
                    continue
                }
                let value: [UInt8] = change.data.map { [1] + Array($0) } ?? [0]
                let greatest: [UInt8] = entry.data.map { [1] + Array($0) } ?? [0]
                #expect(
                    stamp.time < entry.stamp!.time
                        || stamp.time == entry.stamp!.time && !greatest.lexicographicallyPrecedes(value), "seed \(seed)"
                )
            }
        }
    }

    @Test("What wins of another log makes the same as all of it", arguments: Rounds.seeds(0..<400, part: 100))
    func winners(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (own, others) = (Self.randomLines(5, &random), Self.randomLines(8, &random))
        var contents = LogContents(own)
        let winners = contents.winners(among: others + others)
        let expected = Self.values(LogContents(own + others))
        #expect(winners.reduce(0) { $0 + $1.changes.count } <= expected.count, "seed \(seed)")
        for line in winners { _ = contents.apply(.changes(line)) }
        #expect(Self.values(contents) == expected, "seed \(seed)")
        #expect(contents.winners(among: others).isEmpty, "seed \(seed)")
    }

    @Test("A new log says what the old one said, with the removals and unknown members", arguments: [0, 1] as [UInt64])
    func newLog(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var lines = Self.randomLines(10, &random)
        lines.append(Self.line(["known": "1"], at: 9))
        lines[10].unknownMembers = Array("\"new\":1".utf8)
        var contents = LogContents(lines)
        _ = contents.apply(.replica(LogReplica(id: 5, device: "d")))
        var bytes = LogLine.newBeginning.bytes
        _ = contents.forEachLine(from: Int64(bytes.count)) { line in
            line.append(to: &bytes)
            return Int64(bytes.count)
        }
        var again = LogContents()
        for line in logLines(bytes) { _ = again.apply(line, end: 1) }
        #expect(again.entries == contents.entries && !again.isDamaged && again.replica == contents.replica)
        #expect(again.size == contents.size)
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"new\":1,\"crc\""))
    }

    @Test(
        "A time is greater than all of its names, whatever the clock shows",
        arguments: [
            (0, 6), (5, 6), (-1, 6), (.min, 6), (.max, 6), (7_258_118_400_000, 6),
            (7_258_118_399_999, 7_258_118_399_999 << 16),
        ] as [(Int64, UInt64)])
    func nextTime(now: Int64, expected: UInt64) {
        let contents = LogContents([Self.line(["a": "1"], at: 5), Self.line(["b": nil], at: 4)])
        let expected = now == 5 ? 5 << 16 : expected
        #expect(contents.nextTime(of: ["a", "b", "c"], now: now) == expected)
        #expect(contents.nextTime(of: ["c"], now: 0) == 1)
        let last = LogContents([Self.line(["a": "1"], at: LogStamp.end - 1)])
        #expect(last.nextTime(of: ["a"], now: now) == nil && last.nextTime(of: ["b"], now: now) != nil)
    }
}
