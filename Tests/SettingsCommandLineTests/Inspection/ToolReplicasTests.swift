import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

@Suite("Devices of a shared directory, and what is wrong there", .ownThreads, .timeLimit(Rounds.timeLimit))
struct ToolReplicasTests {
    private static let day: Int64 = 86_400_000

    /// A device with a state of its own.
    private static func device(_ name: String, in directory: String, now: Int64? = nil) throws -> DirectoryStore {
        var options = DirectoryStore.Options()
        options.deviceName = name
        return try DirectoryStore(
            directory: "\(directory)/shared", state: "\(directory)/\(name)", fileSystem: POSIXFileSystem(),
            options: options,
            now: { now ?? Int64(Date().timeIntervalSince1970 * 1_000) })
    }

    private static func inspection(_ directory: String, state: String?, days: Int64 = 0) throws -> DirectoryInspection {
        try DirectoryInspection(
            directory: "\(directory)/shared", state: state.map { "\(directory)/\($0)" }, in: POSIXFileSystem(),
            now: Int64(Date().timeIntervalSince1970 * 1_000) + days * day)
    }

    private static func ownFile(_ directory: String, _ inspection: DirectoryInspection) throws -> String {
        let own = try #require(inspection.devices.first { $0.replica.isOwn })
        return "\(directory)/shared/\(own.files[0])"
    }

    @Test("The devices are listed with what each has not received, and nothing is written")
    func devices() throws {
        try withTemporaryDirectory { (directory: String) in
            let laptop = try Self.device("laptop", in: directory)
            try laptop.set(key("a"), to: Data("1".utf8))
            try laptop.synchronize()
            let phone = try Self.device("phone", in: directory)
            try phone.synchronize()
            try laptop.synchronize()
            try laptop.set(key("b"), to: Data("2".utf8))
            let before = try picture(of: directory)
            let arguments = ["replicas", "shared:\(directory)/shared?state=\(directory)/laptop"]
            let table = ToolBench.run(arguments)
            #expect(table.code == 0 && table.errors.isEmpty, "\(table)")
            let lines = table.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines[0] == ["DEVICE", "ID", "LAST", "SEEN", "PENDING"])
            #expect(lines[1][0...1] == ["laptop", "(this)"] && lines[1].suffix(1) == ["1"])
            #expect(lines[2][0] == "phone" && lines[2].suffix(1) == ["1"], "\(table.output)")
            #expect(ToolBench.run(arguments + ["--json"]).json != nil)
            let stranger = ToolBench.run(["replicas", "shared:\(directory)/shared?state=\(directory)/none"])
            #expect(stranger.code == 0 && stranger.output.contains("?"))
            #expect(try picture(of: directory) == before)
            #expect(ToolBench.run(["replicas", "\(directory)/x"]).code == 2)
            #expect(ToolBench.run(["replicas", "shared:\(directory)/none"]).code == 1)
            withExtendedLifetime((laptop, phone)) {}
        }
    }

    @Test("Damaged, foreign and strange files of a shared directory are reported")
    func damagedFiles() throws {
        try withTemporaryDirectory { (directory: String) in
            let laptop = try Self.device("laptop", in: directory)
            for number in 0..<5 { try laptop.set(key("secret \(number)"), to: Data("\"sesame\"".utf8)) }
            try laptop.synchronize()
            let own = try Self.ownFile(directory, Self.inspection(directory, state: "laptop"))
            #expect(try Self.inspection(directory, state: "laptop").findings.isEmpty)
            var bytes = try Data(contentsOf: URL(filePath: own))
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: URL(filePath: own))
            let shared = "\(directory)/shared"
            try Data("sesame".utf8).write(to: URL(filePath: "\(shared)/Settings-0000000000000001.jsonl"))
            try Data(#"{"settings":"log","version":99,"check":"00000000"}"#.utf8).write(
                to: URL(filePath: "\(shared)/Settings-2.jsonl"))
            #expect(mkfifo("\(shared)/Settings-3.jsonl", 0o600) == 0)
            try Data("x".utf8).write(to: URL(filePath: "\(shared)/notes.txt"))
            let arguments = ["doctor", "shared:\(shared)?state=\(directory)/laptop"]
            let before = try picture(of: shared)
            let result = ToolBench.run(arguments)
            #expect(
                result.code == 3 && !result.output.contains("sesame") && !result.output.contains("notes.txt"),
                "\(result)")
            #expect(result.output.contains("Settings-0000000000000001.jsonl"))
            #expect(try picture(of: shared) == before)
            withExtendedLifetime(laptop) {}
        }
    }

    @Test("Changes from the future, a clock that was set back, a copied state and a missing own file are reported")
    func clocks() throws {
        try withTemporaryDirectory { (directory: String) in
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            let ahead = try Self.device("ahead", in: directory, now: now + 10 * Self.day)
            try ahead.set(key("a"), to: Data("1".utf8))
            try ahead.synchronize()
            let other = try Self.inspection(directory, state: nil)
            #expect(other.findings.contains { $0.kind == .noState && $0.severity == .note })
            #expect(try Self.inspection(directory, state: "ahead").findings.contains { $0.kind == .clockBehind })
            #expect(try Self.inspection(directory, state: "ahead", days: 10).findings.isEmpty)
            let state = "\(directory)/ahead"
            try FileManager.default.copyItem(atPath: state, toPath: "\(directory)/copy")
            let copy = try Self.device("copy", in: directory, now: now + 10 * Self.day)
            try ahead.set(key("b"), to: Data("2".utf8))
            try ahead.synchronize()
            #expect(
                try Self.inspection(directory, state: "copy", days: 10).findings.contains { $0.kind == .copiedState })
            try removeAll(Self.ownFile(directory, Self.inspection(directory, state: "ahead")))
            let arguments = ["doctor", "shared:\(directory)/shared?state=\(directory)/ahead"]
            #expect(ToolBench.run(arguments).code == 3)
            withExtendedLifetime((ahead, copy)) {}
        }
    }
}
