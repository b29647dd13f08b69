import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

@Suite("Files are damaged", .ownThreads)
struct DamageTests {
    private static let journal = Start.path + "-journal"

    /// A disk with a property list and a journal of changes that are not in it.
    private static func disk() throws -> (disk: SimulatedDisk, journal: Data, states: [Values]) {
        let (disk, values) = try Start.othersFile.prepare()
        var states = [values]
        let process = disk.process()
        let store = try quietStore(process)
        for step in [Step.set("a", "1"), .batch(["b": "2", "c": "\"x\""]), .set("a", "true"), .set("old", nil)] {
            try step.perform(on: store)
            states.append(step.applied(to: states[states.count - 1]))
        }
        process.kill()
        return (disk, try #require(disk.contents(of: Self.journal)), states)
    }

    @Test("A journal cut at any byte yields its whole records, and no damage is reported")
    func cut() throws {
        let (_, journal, states) = try Self.disk()
        var found: [Values] = []
        for length in 0...journal.count {
            let (disk, _) = try Start.othersFile.prepare()
            try disk.write(journal.prefix(length), to: Self.journal)
            let process = disk.process()
            let store = try quietStore(process)
            let (service, problems) = SettingsService.over(store)
            let values = store.values
            if values != found.last { found.append(values) }
            // The next change cuts off what is not whole, and is found behind it.
            try service.save(Setting<Int>("next", in: .defaults, default: 0), to: 7)
            #expect(problems.all.isEmpty, "\(length) bytes")
            process.kill()
            let next = try quietStore(disk.process()).values
            #expect(next == values.merging(["next": Data("7".utf8)]) { $1 }, "\(length) bytes")
        }
        #expect(found == states)
    }

    @Test(
        "A flipped bit in a journal loses one record at most; damage is reported, and the journal is kept aside"
    )
    func flipped() throws {
        let (_, journal, states) = try Self.disk()
        // Whatever one record is missing.
        var possible: [Values] = [states[4]]
        let steps: [Step] = [.set("a", "1"), .batch(["b": "2", "c": "\"x\""]), .set("a", "true"), .set("old", nil)]
        for missing in steps.indices {
            possible.append(steps.indices.filter { $0 != missing }.reduce(states[0]) { steps[$1].applied(to: $0) })
        }
        for bit in stride(from: 0, to: journal.count * 8, by: Rounds.choose(7, full: 1)) {
            var bytes = journal
            bytes[bit / 8] ^= 1 << (bit % 8)
            let (disk, _) = try Start.othersFile.prepare()
            try disk.write(bytes, to: Self.journal)
            let store: PropertyListStore
            do {
                store = try quietStore(disk.process())
            } catch {
                // Only a damaged version could be taken for a newer one, and its complement shows that it is not.
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
            #expect(aside.count == 1 && aside[0].hasPrefix("Settings.plist-journal.damaged-"), "bit \(bit)")
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
                path: "/Settings.plist", fileSystem: disk.process(), writingDelay: .seconds(86_400))
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
        "An empty or zero-filled property list is not taken for one without settings: the journal has them, the file is kept",
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
        case empty, zeros, zerosBehind, text, random

        func bytes(_ journal: Data) -> Data {
            switch self {
            case .empty: Data()
            case .zeros: Data(count: 10_000)
            case .zerosBehind: journal + Data(count: 5_000)
            case .text: Data("no journal at all, but a person's notes, longer than the header of one.".utf8)
            case .random: Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 77 &+ $0 >> 3) })
            }
        }
    }

    @Test(
        "Whatever replaces the journal, the property list is used, and changes are kept",
        arguments: Content.allCases)
    func strangeJournal(content: Content) throws {
        let (disk, journal, states) = try Self.disk()
        try disk.write(content.bytes(journal), to: Self.journal)
        let process = disk.process()
        let store = try quietStore(process)
        let (service, problems) = SettingsService.over(store)
        let expected = states[content == .zerosBehind ? 4 : 0]
        #expect(store.values == expected)
        try service.save(Setting<Int>("next", in: .defaults, default: 0), to: 7)
        process.kill()
        #expect(problems.codes == (content == .text || content == .random ? [.damaged] : []))
        #expect(try disk.findValues("") == expected.merging(["next": Data("7".utf8)]) { $1 })
    }

    @Test("A journal of a newer version is refused, and both files stay as they are", arguments: [false, true])
    func newerVersion(appearsLater: Bool) throws {
        let (disk, journal, states) = try Self.disk()
        var newer = journal
        newer.replaceSubrange(8..<12, with: [2, 0, 0xFD, 0xFF])
        let file = disk.contents(of: Start.path)
        let opened = appearsLater ? try quietStore(disk.process()) : nil
        try disk.replace(Self.journal, with: newer)
        if let opened {
            #expect(throws: (any Error).self) { try opened.set(key("a"), to: Data("5".utf8)) }
            #expect(throws: SettingsError.self) { try opened.bringUpToDate() }
            #expect(opened.values == states[4])
        }
        let error = #expect(throws: SettingsError.self) { try quietStore(disk.process()) }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.description.contains("newer version") == true)
        #expect(disk.contents(of: Self.journal) == newer)
        #expect(disk.contents(of: Start.path) == file)
    }

    @Test("A journal that another process begins and replaces while it is opened is not damaged")
    func begunAndReplaced() throws {
        let disk = try emptyDisk()
        // Made, but not begun.
        try disk.write(Data(), to: Start.path + "-journal")
        let slow = try quietStore(disk.process())
        let (service, problems) = SettingsService.over(slow)
        let quick = try quietStore(disk.process())
        try quick.set(key("a"), to: Data("1".utf8))
        try quick.bringUpToDate()
        try quick.set(key("b"), to: Data("2".utf8))
        try service.save(Setting<Int>("c", in: .defaults, default: 0), to: 3)
        #expect(slow.values == ["a": Data("1".utf8), "b": Data("2".utf8), "c": Data("3".utf8)])
        #expect(problems.codes == [])
    }
}
