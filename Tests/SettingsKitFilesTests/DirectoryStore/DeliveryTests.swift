import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("Files arrive as syncers bring them", .ownThreads)
struct DeliveryTests {
    private let one: Device
    private let other: Device

    init() throws {
        one = try Device("one")
        other = try Device("other")
    }

    @Test("A file that was cut off anywhere gives its valid records, and the rest when it arrives")
    func cut() throws {
        for number in 0..<4 { try one.set("key\(number)", "\(number)") }
        try one.store.synchronize()
        let (name, data) = try one.ownFile
        let all = try one.values
        // The line breaks: a line without one is not read.
        let ends = data.indices.filter { data[$0] == UInt8(ascii: "\n") }
        for length in 0..<data.count {
            let device = try Device("cut")
            try device.put(data.prefix(length), name)
            try device.store.refresh()
            // The first two lines say what the file is, and whose.
            let count = max(0, ends.filter { $0 < length }.count - 2)
            #expect(try device.values.count == count, "\(length) of \(data.count) bytes")
            #expect(try device.values.allSatisfy { all[$0.key] == $0.value }, "\(length) of \(data.count) bytes")
            try device.put(data, name)
            try device.store.refresh()
            #expect(try device.values == all)
        }
    }

    @Test(
        "A file with any bit flipped changes no value, and loses at most the line with the bit, or the two that it joins"
    )
    func flipped() throws {
        for number in 0..<3 { try one.set("key\(number)", "\(number)") }
        try one.store.synchronize()
        let (name, data) = try one.ownFile
        let all = try one.values
        for bit in stride(from: 0, to: data.count * 8, by: Rounds.choose(7, full: 1)) {
            var damaged = data
            damaged[bit / 8] ^= 1 << (bit % 8)
            let device = try Device("flipped")
            try device.put(damaged, name)
            try device.store.refresh()
            let values = try device.values
            #expect(values.allSatisfy { all[$0.key] == $0.value }, "bit \(bit)")
            // A file that does not begin as ours do is none.
            #expect(values.count >= all.count - 2 || bit / 8 < LogLine.magic.utf8.count, "bit \(bit)")
        }
    }

    @Test("A damaged file is reported once it stays damaged, not while it arrives")
    func diagnosed() throws {
        try one.set("a", "1")
        try one.store.synchronize()
        let (name, data) = try one.ownFile
        let (service, problems) = SettingsService.over(try other.store)
        defer { withExtendedLifetime(service) {} }
        // A line was cut off, and another one follows.
        try other.put(data.dropLast(30) + "\n".utf8, name)
        try other.store.refresh()
        #expect(problems.codes.isEmpty)
        #expect(try other.store.report.problems.map(\.kind) == [.damaged])
        try other.store.refresh()
        try other.store.refresh()
        #expect(problems.codes == [.unusedFile])
        // Another device's file is neither kept aside nor replaced here.
        let texts = problems.all.map { "\($0)" }
        #expect(texts.allSatisfy { $0.contains(name) && !$0.contains("kept aside") && !$0.contains("replaced") })
        // A beginning of a file is no damage.
        try other.put(data.prefix { $0 != UInt8(ascii: "\n") }, name)
        try other.store.refresh()
        #expect(try other.store.report.problems.isEmpty)
        try other.put(data, name)
        try other.store.refresh()
        #expect(try other.store.report.problems.isEmpty)
        #expect(problems.codes == [.unusedFile])
    }

    /// How syncers call the copy of a file of which there are two versions.
    static let conflictNames = [
        "NAME.sync-conflict-20261121-120000-ABCDEFG.jsonl", "NAME (Ann's conflicted copy 2026-11-21).jsonl",
        "NAME-LAPTOP.jsonl", "NAME 2.jsonl", "NAME.jsonl.conflict1", "anything else",
    ]

    @Test("A conflict copy is merged under whatever name, and nothing is doubled", arguments: conflictNames)
    func conflictCopy(pattern: String) throws {
        try one.set("a", "1")
        try one.send(to: other)
        one.time += 1_000
        try one.set("a", "2")
        try one.set("b", "1")
        try one.store.synchronize()
        let (name, data) = try one.ownFile
        let copy = pattern.replacing("NAME", with: name.replacing(".jsonl", with: ""))
        try other.put(data, copy)
        try other.store.refresh()
        #expect(try other.values == ["a": "2", "b": "1"])
        #expect(try other.store.replicas.count == 2)
        // The same of the own file, with a version that has only a part.
        try settle([one, other])
        #expect(try other.store.replicas.count == 2)
    }

    @Test("One damaged, foreign or hostile file does not prevent reading the others", arguments: HostileFile.allCases)
    func hostile(file: HostileFile) throws {
        try one.set("a", "1")
        try one.send(to: other)
        try other.put(file.data, "Settings-0000000000000001.jsonl")
        try other.store.refresh()
        #expect(try other.value("a") == "1")
        #expect(try other.store.report.problems.map(\.kind) == [file.problem])
        try other.store.synchronize()
        #expect(try other.store.keys() == ["a"])
    }

    @Test("Other entries of the directory are ignored: hidden files, other programs' files, directories, links")
    func foreign() throws {
        try one.set("a", "1")
        try one.send(to: other)
        let data = try one.ownFile.data
        for name in [".DS_Store", "desktop.ini", "Thumbs.db", "notes.txt", ".stfolder", "empty"] {
            try other.put(name == "empty" ? Data() : Data("\u{0}\u{1}Bud1 \(name)".utf8), name)
        }
        try other.put(data, ".hidden.tmp")
        try other.disk.makeDirectory(other.directory + "/Settings-directory.jsonl")
        try other.disk.makeLink(other.directory + "/Settings-link.jsonl", to: "/nowhere")
        try other.store.synchronize()
        #expect(try other.values == ["a": "1"])
        #expect(try other.store.report.problems.isEmpty)
        #expect(other.files.keys.contains("desktop.ini"))
    }

    @Test("A file that is in the cloud only is reported as pending, and read when it is there")
    func placeholder() throws {
        try one.set("a", "1")
        try one.store.synchronize()
        let (name, data) = try one.ownFile
        try other.put(Data("bplist00".utf8), ".\(name).icloud")
        try other.store.refresh()
        #expect(try other.store.report.problems.map(\.kind) == [.pending])
        // The cloud is asked for it, once.
        try other.store.refresh()
        #expect(other.disk.requestedDownloads == ["\(other.directory)/\(name)"])
        try other.remove(".\(name).icloud")
        try other.put(data, name)
        try other.store.refresh()
        #expect(try other.store.report.problems.isEmpty)
        #expect(try other.values == ["a": "1"])
    }

    @Test("Only files that have changed are read again")
    func incremental() throws {
        let devices = try (0..<4).map { try Device("device\($0)") }
        for device in devices {
            try device.set(device.name, "1")
            try device.send(to: other)
        }
        let process = other.disk.process()
        let store = try other.process(process)
        var before = process.callCount
        try store.refresh()
        let quiet = process.callCount - before
        try devices[0].set("a", "1")
        try devices[0].send(to: other)
        before = process.callCount
        try store.refresh()
        // Opened, asked twice for its state, read twice, closed; and the log of the local state.
        #expect(process.callCount - before < quiet + 20)
        #expect(store.get(key("a")) == Data("1".utf8))
    }
}

enum HostileFile: CaseIterable, Sendable {
    case zeros, noise, deep, longString, manyLines, invalidUTF8, endlessLine, newerVersion

    var problem: DirectoryStore.Problem.Kind { self == .newerVersion ? .newerVersion : .damaged }

    var data: Data {
        let scale = Rounds.choose(1, full: 4)
        return switch self {
        case .zeros: Data(count: 1 << 20)
        case .noise: Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
        case .deep: file(checked("\"key\":\"x\",\"value\":" + String(repeating: "[{\"a\":", count: 250_000 * scale)))
        case .longString:
            file(checked("\"key\":\"x\",\"value\":\"" + String(repeating: "x", count: 1_250_000 * scale)))
        case .manyLines: file(Data(String(repeating: "{}\n", count: 125_000 * scale).utf8))
        case .invalidUTF8: file(Data("{\"key\":\"".utf8) + [0xFF, 0xC0] + Data("\"\n".utf8))
        case .endlessLine: file(Data(String(repeating: " ", count: 5_000_000 * scale).utf8) + [0x0A])
        case .newerVersion: checked("\"settings\":\"log\",\"version\":2,\"secret\":{\"a\":[1]}")
        }
    }

    private func checked(_ members: String) -> Data { Data(checkedLogLine(members)) }

    private func file(_ lines: Data) -> Data { Data(LogLine.newBeginning.bytes) + lines }
}
