import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

@Suite("Copying stores", .ownThreads, .timeLimit(Rounds.timeLimit))
struct ToolCopyTests {
    private static let many = settings(10_000)

    /// Settings of all kinds.
    private static func settings(_ count: Int) -> [String: Data] {
        var settings = TransferSamples.settings
        for number in 0..<(count - settings.count) {
            settings["setting \(number)"] =
                TransferSamples.values[number % 60] + (number.isMultiple(of: 2) ? Data() : Data("x".utf8))
        }
        return settings
    }

    /// What is copied between all pairs of stores.
    private static let copied = settings(Rounds.choose(1_000, full: 10_000))

    @Test(
        "Ten thousand settings are equal after they were copied to a store of any kind and back",
        arguments: StoreKind.allCases, StoreKind.allCases)
    func thereAndBack(_ kind: StoreKind, _ other: StoreKind) throws {
        try withTemporaryDirectory { (directory: String) in
            let (first, second, third) = ("\(directory)/1", "\(directory)/2", "\(directory)/3")
            try kind.fill(first, with: Self.copied)
            let count = Self.copied.count
            _ = try (ToolBench.ready(other, in: second), ToolBench.ready(kind, in: third))
            let there = ToolBench(kind, in: first).run(["copy"] + [other.store(in: second)])
            #expect(there.code == 0 && there.output == "\(count) settings, \(count) changed.\n", "\(there)")
            let back = ToolBench(other, in: second).run(["copy"] + [kind.store(in: third)])
            #expect(back.code == 0, "\(back)")
            #expect(try other.contents(in: second) == Self.copied)
            #expect(try kind.contents(in: third) == Self.copied)
            let again = ToolBench(kind, in: first).run(["copy"] + [kind.store(in: third)])
            #expect(again == .init(0, "\(count) settings, 0 changed.\n"))
        }
    }

    @Test(
        "A copy that was killed leaves both stores usable, and the same command goes on", arguments: StoreKind.allCases)
    func killed(_ target: StoreKind) throws {
        try withTemporaryDirectory { (directory: String) in
            try StoreKind.file.fill("\(directory)/a", with: Self.many)
            try FileManager.default.createDirectory(atPath: "\(directory)/b", withIntermediateDirectories: true)
            _ = try ToolBench.ready(target, in: "\(directory)/b")
            let arguments = "\(StoreKind.file.store(in: "\(directory)/a")) \(target.store(in: "\(directory)/b"))"
            // The system ends the process at a write beyond this size, in the middle of a batch.
            let killed = try ToolProcess.bash(
                "ulimit -c 0; ulimit -f 64; exec settings copy \(arguments)", in: directory)
            #expect(killed.code != 0)
            let part = try target.contents(in: "\(directory)/b")
            #expect(part.count < Self.many.count)
            for (name, value) in part { #expect(Self.many[name] == value) }
            #expect(try StoreKind.file.contents(in: "\(directory)/a") == Self.many)
            let again = try ToolProcess.bash("settings copy \(arguments)", in: directory)
            #expect(
                again.code == 0 && again.output == "10000 settings, \(Self.many.count - part.count) changed.\n",
                "\(again)")
            #expect(try target.contents(in: "\(directory)/b") == Self.many)
        }
    }

    @Test("--replace removes what the source does not have, and --dry-run changes nothing")
    func replacing() throws {
        try withTemporaryDirectory { (directory: String) in
            try StoreKind.file.fill("\(directory)/a", with: ["a": Data("1".utf8)])
            try StoreKind.sqlite.fill("\(directory)/b", with: ["a": Data("2".utf8), "b": Data("3".utf8)])
            let bench = ToolBench(in: "\(directory)/a")
            let target = [StoreKind.sqlite.store(in: "\(directory)/b")]
            let dry = bench.run(["copy", "--dry-run", "--replace"] + target)
            #expect(dry == .init(0, "~ a: 2 → 1\n- b: 3\n1 setting, 2 would change.\n"))
            #expect(bench.run(["copy"] + target) == .init(0, "1 setting, 1 changed.\n"))
            #expect(try StoreKind.sqlite.contents(in: "\(directory)/b").count == 2)
            #expect(bench.run(["copy", "--replace"] + target) == .init(0, "1 setting, 1 changed.\n"))
            #expect(try StoreKind.sqlite.contents(in: "\(directory)/b") == ["a": Data("1".utf8)])
            #expect(bench.run(["copy"] + [StoreKind.file.store(in: "\(directory)/a")]).code == 2)
            #expect(bench.run("copy").code == 2)
            let new = bench.run(["copy", "\(directory)/c/new.plist", "--dry-run"])
            #expect(new == .init(0, "+ a: 1\n1 setting, 1 would change.\n"))
            #expect(!FileManager.default.fileExists(atPath: "\(directory)/c"))
        }
    }
}
