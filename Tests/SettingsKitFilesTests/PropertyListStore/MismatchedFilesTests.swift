import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

@Suite("A journal and a property list that do not belong together")
struct MismatchedFilesTests {
    private static let journal = Start.path + "-journal"

    /// The two files at one moment.
    private struct Files {
        var list: Data?
        var journal: Data?

        init(of disk: SimulatedDisk) {
            list = disk.contents(of: Start.path)
            journal = disk.contents(of: MismatchedFilesTests.journal)
        }

        func put(on disk: SimulatedDisk) throws {
            if let list { try disk.replace(Start.path, with: list) }
            if let journal {
                try disk.replace(
                    MismatchedFilesTests.journal, with: journal)
            }
        }
    }

    private static func text(_ number: Int) -> Data { Data("\(number)".utf8) }

    /// Runs a program that counts to `last`, synchronizes each time, and dies with one more change in the journal.
    private static func history(on disk: SimulatedDisk, _ numbers: ClosedRange<Int>) throws -> [Files] {
        var states: [Files] = []
        let process = disk.process()
        let store = try quietStore(process)
        for number in numbers {
            try store.set(key("n"), to: text(number))
            try store.set(key("k\(number)"), to: text(number))
            try store.bringUpToDate()
            try store.set(key("later"), to: text(number))
            states.append(Files(of: disk))
        }
        process.kill()
        return states
    }

    private func asides(_ disk: SimulatedDisk, _ reason: String) -> [String] {
        disk.names(in: Start.directory).filter { $0.contains(".\(reason)-") }
    }

    @Test(
        "A journal and a property list that do not belong together keep the newer property list where the journal is from an earlier time"
    )
    func keepTheNewerProperty() throws {
        let disk = try emptyDisk()
        let states = try Self.history(on: disk, 1...6)
        // The journal before the last is what a death between the property list and its journal leaves: no mismatch.
        for index in 0..<3 {
            var files = states[5]
            files.journal = states[index].journal
            try files.put(on: disk)
            let (service, problems) = SettingsService.over(try quietStore(disk.process()))
            #expect(service.get(Setting<Int>("n", in: .defaults, default: 0)) == 6, "journal \(index)")
            #expect(service.get(Setting<Int>("later", in: .defaults, default: 0)) == 5, "journal \(index)")
            #expect(problems.codes == [.damaged], "journal \(index)")
            try service.save(Setting<Int>("new", in: .defaults, default: 0), to: 9)
            try service.bringUpToDate()
            let aside = try #require(asides(disk, "stale").last)
            #expect(aside.hasPrefix("Settings.plist-journal.stale-"))
            #expect(try disk.storedValues()?["n"] == Self.text(6))
            #expect(try quietStore(disk.process()).values["new"] == Self.text(9))
            try disk.remove(Start.directory + "/" + aside)
        }
    }

    @Test(
        "A journal and a property list that do not belong together keep the property list where the journal is another's"
    )
    func keepThePropertyList() throws {
        let disk = try emptyDisk()
        let other = try Self.history(on: try emptyDisk(), 100...102)[2]
        var files = try #require(try Self.history(on: disk, 1...3).last)
        files.journal = other.journal
        try files.put(on: disk)
        let (service, problems) = SettingsService.over(try quietStore(disk.process()))
        #expect(service.get(Setting<Int>("n", in: .defaults, default: 0)) == 3)
        #expect(service.isSet(Setting<Int>("k102", in: .defaults, default: 0)) == false)
        #expect(problems.codes == [.damaged])
        try service.save(Setting<Int>("new", in: .defaults, default: 0), to: 9)
        let aside = try #require(asides(disk, "foreign").first)
        #expect(disk.contents(of: Start.directory + "/" + aside)?.starts(with: other.journal ?? Data()) == true)
    }

    @Test(
        "A journal and a property list that do not belong together keep the newer state where the property list is from an earlier time, and the older file aside"
    )
    func keepTheNewerState() throws {
        let disk = try emptyDisk()
        let states = try Self.history(on: disk, 1...5)
        let previous = disk.contents(of: FilesBeside.previous(Start.path))
        for index in 0..<4 {
            var files = states[4]
            files.list = states[index].list
            try files.put(on: disk)
            try disk.replace(FilesBeside.previous(Start.path), with: try #require(previous))
            let store = try quietStore(disk.process())
            let (service, problems) = SettingsService.over(store)
            var expected: Values = ["n": Self.text(5), "later": Self.text(5)]
            for number in 1...5 { expected["k\(number)"] = Self.text(number) }
            #expect(store.values == expected, "list \(index)")
            #expect(problems.codes == [.damaged], "list \(index)")
            try service.save(Setting<Int>("new", in: .defaults, default: 0), to: 9)
            try service.bringUpToDate()
            let aside = try #require(asides(disk, "stale").last)
            #expect(disk.contents(of: Start.directory + "/" + aside) == files.list)
            expected["new"] = Self.text(9)
            #expect(try disk.storedValues() == expected, "list \(index)")
            try disk.remove(Start.directory + "/" + aside)
        }
    }

    @Test(
        "A journal and a property list that do not belong together are not those of one moment, whichever moment that was"
    )
    func areNotThoseOf() throws {
        let disk = try emptyDisk()
        for (index, files) in try Self.history(on: disk, 1...4).enumerated() {
            try files.put(on: disk)
            let (service, problems) = SettingsService.over(try quietStore(disk.process()))
            #expect(service.get(Setting<Int>("n", in: .defaults, default: 0)) == index + 1)
            #expect(service.get(Setting<Int>("later", in: .defaults, default: 0)) == index + 1)
            #expect(problems.codes == [])
        }
    }

    @Test(
        "A journal and a property list that do not belong together are not the journal and a property list that another program wrote: that is an edit"
    )
    func areNotTheJournal() throws {
        let disk = try emptyDisk()
        _ = try Self.history(on: disk, 1...3)
        try disk.replace(Start.path, with: Data(xml("<key>n</key><integer>77</integer>").utf8))
        let (service, problems) = SettingsService.over(try quietStore(disk.process()))
        #expect(service.get(Setting<Int>("n", in: .defaults, default: 0)) == 77)
        #expect(service.get(Setting<Int>("later", in: .defaults, default: 0)) == 3)
        #expect(problems.codes == [])
    }

    @Test("An older copy of the journal takes nothing back in a process that is running, which writes it again")
    func olderCopy() throws {
        let disk = try emptyDisk()
        let running = try quietStore(disk.process())
        try running.set(key("n"), to: Self.text(1))
        let old = try #require(disk.contents(of: Self.journal))
        try running.set(key("n"), to: Self.text(2))
        try disk.replace(Self.journal, with: old)
        try running.set(key("mine"), to: Self.text(1))
        #expect(running.values["n"] == Self.text(2))
        let other = try quietStore(disk.process())
        #expect(other.values["n"] == Self.text(2))
        #expect(other.values["mine"] == Self.text(1))
    }

    @Test(
        "A journal and a property list that do not belong together leave memory and later changes as they are in a process that is running"
    )
    func leaveMemoryAndLater() throws {
        let disk = try emptyDisk()
        let old = try #require(try Self.history(on: disk, 1...3).first)
        let running = try quietStore(disk.process())
        try running.set(key("mine"), to: Self.text(1))
        try disk.replace(Self.journal, with: try #require(old.journal))
        try running.set(key("mine"), to: Self.text(2))
        #expect(running.values["n"] == Self.text(3))
        let other = try quietStore(disk.process())
        #expect(other.values["mine"] == Self.text(2))
        #expect(other.values["n"] == Self.text(3))
    }
}
