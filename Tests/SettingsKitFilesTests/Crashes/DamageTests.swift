import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

@Suite("Files are damaged", .ownThreads)
struct DamageTests {
    private static let log = Start.path + "-log"

    /// A disk with a property list and a log of changes that are not in it.
    private static func disk() throws -> (disk: SimulatedDisk, log: Data, states: [Values]) {
        let (disk, values) = try Start.othersFile.prepare()
        var states = [values]
        let process = disk.process()
        let store = try quietStore(process)
        for step in [Step.set("a", "1"), .batch(["b": "2", "c": "\"x\""]), .set("a", "true"), .set("old", nil)] {
            try step.perform(on: store)
            states.append(step.applied(to: states[states.count - 1]))
        }
        process.kill()
        return (disk, try #require(disk.contents(of: Self.log)), states)
    }

    @Test("A log cut at any byte yields its whole lines, and no damage is reported but of a first line that is cut")
    func cut() throws {
        let (_, log, states) = try Self.disk()
        var found: [Values] = []
        for length in 0...log.count {
            let (disk, _) = try Start.othersFile.prepare()
            try disk.write(log.prefix(length), to: Self.log)
            let process = disk.process()
            let store = try quietStore(process)
            let (service, problems) = SettingsService.over(store)
            let values = store.values
            if values != found.last { found.append(values) }
            // The next change cuts off what is not whole, and is found behind it.
            try service.save(Setting<Int>("next", in: .defaults, default: 0), to: 7)
            let hasBeginning = log.prefix(length).contains(UInt8(ascii: "\n"))
            #expect(problems.codes == (hasBeginning ? [] : [.damaged]), "\(length) bytes")
            process.kill()
            let next = try quietStore(disk.process()).values
            #expect(next == values.merging(["next": Data("7".utf8)]) { $1 }, "\(length) bytes")
        }
        #expect(found == states)
    }

    @Test(
        "A flipped bit in a log loses one line at most; damage is reported, and the log is kept aside"
    )
    func flipped() throws {
        let (_, log, states) = try Self.disk()
        // Whichever line is missing.
        var possible: [Values] = [states[4]]
        let steps: [Step] = [.set("a", "1"), .batch(["b": "2", "c": "\"x\""]), .set("a", "true"), .set("old", nil)]
        for missing in steps.indices {
            possible.append(steps.indices.filter { $0 != missing }.reduce(states[0]) { steps[$1].applied(to: $0) })
        }
        for bit in stride(from: 0, to: log.count * 8, by: Rounds.choose(7, full: 1)) where log[bit / 8] != 10 {
            var bytes = log
            bytes[bit / 8] ^= 1 << (bit % 8)
            let (disk, _) = try Start.othersFile.prepare()
            try disk.write(bytes, to: Self.log)
            let store: PropertyListStore
            do {
                store = try quietStore(disk.process())
            } catch {
                // A damaged line cannot be taken for one of a newer version.
                Issue.record("bit \(bit): \(error)")
                continue
            }
            let (service, problems) = SettingsService.over(store)
            let values = store.values
            #expect(possible.contains(values), "bit \(bit)")
            try service.save(Setting<Int>("next", in: .defaults, default: 0), to: 7)
            try service.bringUpToDate()
            #expect(problems.codes == [.damaged], "bit \(bit)")
            let aside = disk.names(in: Start.directory).filter { $0.contains(".damaged-") }
            #expect(aside.count == 1 && aside[0].hasPrefix("Settings.plist-log.damaged-"), "bit \(bit)")
            let next = values.merging(["next": Data("7".utf8)]) { $1 }
            #expect(try disk.storedValues() == next, "bit \(bit)")
            #expect(try quietStore(disk.process()).values == next, "bit \(bit)")
        }
    }

    @Test(
        "A property list with any bit flipped is read as far as it goes, and kept aside if it cannot be read as it is")
    func flippedPropertyList() throws {
        let (disk, _) = try Start.othersFile.prepare()
        let store = try quietStore(disk.process())
        let names = ["one", "two", "three"]
        for name in names { try store.set(key(name), to: Data("\"\(name)\"".utf8)) }
        try store.bringUpToDate()
        let file = try #require(disk.contents(of: Start.path))
        for bit in stride(from: 0, to: file.count * 8, by: Rounds.choose(7, full: 1)) {
            var bytes = file
            bytes[bit / 8] ^= 1 << (bit % 8)
            let disk = SimulatedDisk()
            try disk.write(bytes, to: "/Settings.plist")
            let store = try PropertyListStore(
                path: "/Settings.plist", fileSystem: disk.process(), writingDelay: .seconds(86_400), editingTime: .zero)
            // XML has no checksum: one flipped letter makes another text. The others are unchanged, unless the damage
            // is where the structure is.
            let intact = names.count { store.get(key($0)) == Data("\"\($0)\"".utf8) }
            let (service, problems) = SettingsService.over(store)
            #expect(intact >= 2 || problems.codes == [.damaged], "bit \(bit): \(intact)")
            try service.save(Setting<Int>("next", in: .defaults, default: 0), to: 7)
            try service.bringUpToDate()
            let aside = disk.names(in: "/").filter { $0.contains(".damaged-") }
            #expect(aside.count == (problems.codes == [.damaged] ? 1 : 0), "bit \(bit)")
            if let aside = aside.first { #expect(disk.contents(of: "/" + aside) == bytes, "bit \(bit)") }
        }
    }

    @Test(
        "An empty or zero-filled property list is not taken for one without settings: the log has them, the file is kept",
        arguments: [0, 1, 4_096])
    func emptyPropertyList(size: Int) throws {
        let disk = SimulatedDisk()
        let process = disk.process()
        let store = try quietStore(process)
        try store.set(key("a"), to: Data("1".utf8))
        process.kill()
        try disk.write(Data(count: size), to: Start.path)
        let (service, problems) = SettingsService.over(try quietStore(disk.process()))
        #expect(problems.codes == [.damaged])
        #expect(service.get(Setting<Int>("a", in: .defaults, default: 0)) == 1)
        try service.bringUpToDate()
        #expect(try disk.storedValues() == ["a": Data("1".utf8)])
        let aside = try #require(disk.names(in: Start.directory).first { $0.contains(".damaged-") })
        #expect(disk.contents(of: Start.directory + "/" + aside) == Data(count: size))
    }

    enum Content: CaseIterable, Sendable {
        case empty, zeros, zerosBehind

        func bytes(_ log: Data) -> Data {
            switch self {
            case .empty: Data()
            case .zeros: Data(count: 10_000)
            case .zerosBehind: log + Data(count: 5_000)
            }
        }
    }

    @Test(
        "An empty or zero-filled log is damaged: the property list is used, and changes are kept",
        arguments: Content.allCases)
    func strangeLog(content: Content) throws {
        let (disk, log, states) = try Self.disk()
        try disk.write(content.bytes(log), to: Self.log)
        let process = disk.process()
        let store = try quietStore(process)
        let (service, problems) = SettingsService.over(store)
        let expected = states[content == .zerosBehind ? 4 : 0]
        #expect(store.values == expected)
        try service.save(Setting<Int>("next", in: .defaults, default: 0), to: 7)
        process.kill()
        // What has no line break behind it is a torn end.
        #expect(problems.codes == (content == .zerosBehind ? [] : [.damaged]))
        #expect(try disk.findValues("") == expected.merging(["next": Data("7".utf8)]) { $1 })
    }

    @Test("A log of a newer version is refused, and both files stay as they are", arguments: [false, true])
    func newerVersion(appearsLater: Bool) throws {
        let (disk, log, states) = try Self.disk()
        let text = String(decoding: log, as: UTF8.self).replacing("\"version\":1", with: "\"version\":2")
        var newer = Data()
        for line in text.split(separator: "\n") {
            var bytes = Array(line.utf8.dropLast(LogCheck.size))
            LogCheck.append(to: &bytes, from: 0)
            newer += bytes
        }
        let file = disk.contents(of: Start.path)
        let opened = appearsLater ? try quietStore(disk.process()) : nil
        try disk.replace(Self.log, with: newer)
        if let opened {
            #expect(throws: (any Error).self) { try opened.set(key("a"), to: Data("5".utf8)) }
            #expect(throws: SettingsError.self) { try opened.bringUpToDate() }
            #expect(opened.values == states[4])
        }
        let (service, problems) = SettingsService.over(try quietStore(disk.process()))
        #expect(service.get(Setting<String>("old", in: .defaults, default: "")) == "x")
        let error = #expect(throws: SettingsError.self) {
            try service.save(Setting<Int>("a", in: .defaults, default: 0), to: 5)
        }
        #expect(problems.codes == [.logUnavailable] && error?.code == .logUnavailable)
        #expect(error?.description.contains("newer version") == true)
        try disk.remove(Start.path)
        #expect(throws: SettingsError.self) { try quietStore(disk.process()) }
        try disk.write(file ?? Data(), to: Start.path)
        #expect(disk.contents(of: Self.log) == newer)
        #expect(disk.contents(of: Start.path) == file)
    }
}
