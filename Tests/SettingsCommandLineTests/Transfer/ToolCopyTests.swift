import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

@Suite("Copying stores", .ownThreads, .timeLimit(Rounds.timeLimit))
struct ToolCopyTests {
    /// Settings of all kinds, so many that they are copied in batches.
    private static let many: [String: Data] = {
        var settings = TransferSamples.settings
        for number in 0..<(10_000 - settings.count) {
            settings["setting \(number)"] = TransferSamples.values[number % 60]
        }
        return settings
    }()

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
            let new = bench.run(["copy", "\(directory)/c/new.plist", "--dry-run"])
            #expect(new == .init(0, "+ a: 1\n1 setting, 1 would change.\n"))
            #expect(!FileManager.default.fileExists(atPath: "\(directory)/c"))
        }
    }
}
