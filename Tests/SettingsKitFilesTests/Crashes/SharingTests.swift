import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

/// Two processes of a simulated disk, which take turns.
@Suite("Several processes use one file", .ownThreads)
struct SharingTests {
    private let disk = SimulatedDisk()
    private let one: PropertyListStore
    private let other: PropertyListStore

    init() throws {
        for path in ["/home", Start.directory] { try disk.makeDirectory(path) }
        one = try quietStore(disk.process())
        other = try quietStore(disk.process())
    }

    private func agree(_ comment: Comment = "") throws -> Values {
        try one.refresh()
        try other.refresh()
        #expect(one.values == other.values, comment)
        return one.values
    }

    @Test("Each process sees the other's changes, in the order in which they were made")
    func order() throws {
        try one.set(key("a"), to: Data("1".utf8))
        try other.set(key("a"), to: Data("2".utf8))
        try one.set(key("b"), to: Data("1".utf8))
        #expect(one.get(key("a")) == Data("2".utf8))
        #expect(try agree() == ["a": Data("2".utf8), "b": Data("1".utf8)])
    }

    @Test("Setting a value that is not stored any more is a change")
    func staleEqual() throws {
        try one.set(key("a"), to: Data("1".utf8))
        try other.set(key("a"), to: Data("2".utf8))
        try one.set(key("a"), to: Data("1".utf8))
        #expect(try agree() == ["a": Data("1".utf8)])
    }

    @Test("Expectations are compared with other processes' changes")
    func expectations() throws {
        try one.set(key("a"), to: Data("1".utf8))
        try other.set(key("a"), to: Data("2".utf8))
        let batch = SettingsStoreBatch(
            writes: [.init(key: key("a"), data: Data("3".utf8))],
            expectations: [.init(key: key("a"), data: Data("1".utf8))])
        #expect(try !one.apply(batch))
        #expect(one.get(key("a")) == Data("2".utf8))
    }

    @Test("The other follows, however often the log is replaced meanwhile", arguments: [0, 1, 2, 5])
    func replacements(count: Int) throws {
        try other.set(key("x"), to: Data("1".utf8))
        for number in 0..<count {
            try one.set(key("n"), to: Data("\(number)".utf8))
            try one.set(key("k\(number)"), to: Data("true".utf8))
            try one.bringUpToDate()
        }
        try other.set(key("y"), to: Data("1".utf8))
        let values = try agree()
        #expect(values.count == (count == 0 ? 2 : count + 3))
        try other.bringUpToDate()
        #expect(try disk.storedValues() == values)
    }

    @Test(
        "What is set right after another process has replaced the log is in the new one, whatever was read meanwhile"
    )
    func replacedWhileReading() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let printing = try PropertyListStore(
                path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
            // Looks as seldom as it may whether the log is still the one at its path.
            let other = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400), trust: .seconds(86_400))
            for round in 0..<3 {
                try printing.set(key("printing"), to: Data("\(round)".utf8))
                try other.set(key("other"), to: Data("\(round) before".utf8))
                // As its watch may, after the last that is written, and before the new log is in its place.
                fileSystem.after { if $0 == .write { try? other.refresh() } }
                try printing.bringUpToDate()
                fileSystem.after { _ in }
                try other.set(key("other"), to: Data("\(round) after".utf8))
                try printing.refresh()
                #expect(printing.get(key("other")) == Data("\(round) after".utf8))
            }
        }
    }

    enum Accident: CaseIterable, Sendable {
        case logRemoved, fileRemoved, bothRemoved, logMovedAway

        func happen(_ disk: SimulatedDisk) throws {
            let (file, log) = (Start.path, Start.path + "-log")
            switch self {
            case .logRemoved: try disk.remove(log)
            case .fileRemoved: try disk.remove(file)
            case .bothRemoved: for path in [file, log] { try disk.remove(path) }
            case .logMovedAway: try disk.process().rename(log, to: Start.directory + "/away")
            }
        }
    }

    @Test(
        "When the files are removed, values stay in memory, and the next change makes the files again",
        arguments: Accident.allCases)
    func accident(_ accident: Accident) throws {
        try one.set(key("old"), to: Data("1".utf8))
        try one.bringUpToDate()
        try one.set(key("a"), to: Data("1".utf8))
        try other.set(key("b"), to: Data("2".utf8))
        try one.refresh()
        try accident.happen(disk)
        try one.set(key("c"), to: Data("3".utf8))
        try other.set(key("d"), to: Data("4".utf8))
        _ = try agree()
        // A log that was moved away is missed only now.
        try one.set(key("e"), to: Data("5".utf8))
        let values = try agree()
        #expect(Set(values.keys) == ["old", "a", "b", "c", "d", "e"])
        // What was not in the property list is on the disk again, too.
        let found = try quietStore(disk.process()).values
        for name in ["a", "b", "c", "d", "e"] { #expect(found[name] == values[name]) }
        if accident != .fileRemoved && accident != .bothRemoved {
            try one.bringUpToDate()
            #expect(try disk.storedValues() == values)
        }
    }

    @Test("An edit of the file counts for all, once, wherever it is noticed first", arguments: [false, true])
    func edit(isPrintedMeanwhile: Bool) throws {
        try one.set(key("a"), to: Data("1".utf8))
        try one.set(key("b"), to: Data("1".utf8))
        try one.bringUpToDate()
        _ = try agree()
        try one.set(key("b"), to: Data("2".utf8))
        try disk.write(
            Data(
                xml(
                    "<key>a</key><integer>5</integer><key>b</key><integer>6</integer><key>d</key><date>2020-01-01T00:00:00Z</date>"
                ).utf8),
            to: Start.path)
        try one.refresh()
        if isPrintedMeanwhile { try one.bringUpToDate() }
        try other.set(key("c"), to: Data("1".utf8))
        let values = try agree()
        #expect(values["a"] == Data("5".utf8))
        // Not in the file yet when it was edited: the log's is newer.
        #expect(values["b"] == Data("2".utf8))
        try other.bringUpToDate()
        let members = try PropertyListReader.readDictionary(try #require(disk.contents(of: Start.path)))
        #expect(members.contains(PropertyListMember(key: "d", value: .date(599_529_600))))
    }

    @Test("An edit that a new process finds first also reaches the processes that have not noticed it")
    func editFoundAtOpening() throws {
        try one.set(key("a"), to: Data("1".utf8))
        try one.bringUpToDate()
        _ = try agree()
        try disk.write(Data(xml("<key>b</key><integer>5</integer>").utf8), to: Start.path)
        let third = try quietStore(disk.process())
        for number in 0..<3 {
            try third.set(key("c"), to: Data("\(number)".utf8))
            try third.bringUpToDate()
        }
        #expect(try agree() == ["b": Data("5".utf8), "c": Data("2".utf8)])
        #expect(third.values == one.values)
    }

    @Test("A value just written into the file by another program is removed with all others")
    func removal() throws {
        try one.set(key("a"), to: Data("1".utf8))
        try one.bringUpToDate()
        try disk.write(Data(xml("<key>b</key><integer>5</integer>").utf8), to: Start.path)
        try other.removeAll()
        #expect(try agree().isEmpty)
        try one.bringUpToDate()
        #expect(try disk.storedValues()?.isEmpty == true)
    }

    @Test("A process that dies with the lock releases it")
    func deadHolder() throws {
        let process = disk.process()
        let file = try process.openOrCreate(Start.path + "-lock").file
        #expect(try process.lock(file))
        process.kill()
        try one.set(key("a"), to: Data("1".utf8))
        #expect(try agree() == ["a": Data("1".utf8)])
    }

    @Test("A process that keeps the lock blocks other processes' changes, but not their reads")
    func stoppedHolder() throws {
        try one.set(key("a"), to: Data("1".utf8))
        let process = disk.process()
        let file = try process.openForAppending(Start.path + "-lock")
        #expect(try process.lock(file))
        let (service, problems) = SettingsService.over(one)
        let error = #expect(throws: SettingsError.self) {
            try service.save(Setting<Int>("a", in: .defaults, default: 0), to: 2)
        }
        #expect(error?.code == .busy)
        #expect(service.get(Setting<Int>("a", in: .defaults, default: 0)) == 1)
        #expect(throws: SettingsError.self) { try service.bringUpToDate() }
        // Flushing the log needs no lock.
        try service.synchronize()
        // Opening and reading need no lock.
        #expect(try quietStore(disk.process()).values == ["a": Data("1".utf8)])
        process.unlock(file)
        try service.save(Setting<Int>("a", in: .defaults, default: 0), to: 3)
        #expect(try agree() == ["a": Data("3".utf8)])
        #expect(problems.all.isEmpty)
    }

    @Test("Several processes always agree with each other and with the order of their calls")
    func random() throws {
        for seed in Rounds.seeds(0..<60, part: 20) { try SharingTests().random(seed: seed) }
    }

    /// Runs the schedule that a seed decides.
    private func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var stores = [one, other, try quietStore(disk.process())]
        var model: Values = [:]
        for step in 0..<60 {
            let comment: Comment = "seed \(seed), step \(step)"
            let index = Int.random(in: 0..<3, using: &generator)
            let store = stores[index]
            let name = "k\(Int.random(in: 0..<6, using: &generator))"
            let value = Data("\(step)".utf8)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<5:
                try store.set(key(name), to: value)
                model[name] = value
            case 5:
                try store.set(key(name), to: nil)
                model[name] = nil
            case 6:
                let batch = SettingsStoreBatch(
                    writes: [.init(key: key(name), data: value), .init(key: key("batch"), data: value)],
                    expectations: [.init(key: key("batch"), data: model["batch"])])
                #expect(try store.apply(batch), comment)
                model[name] = value
                model["batch"] = value
            case 7: try store.refresh()
            case 8 where step % 7 == 0:
                try store.removeAll()
                model = [:]
            case 9:
                // A dead process, and a new one in its place.
                stores[index] = try quietStore(disk.process())
            case 10 where step > 20:
                // A person edits a file that is up to date. The edit counts from when the first process notices it.
                try store.bringUpToDate()
                var edited = try disk.storedValues() ?? [:]
                edited["edited"] = value
                let members = edited.map { PropertyListMember(key: $0.key, value: NativeValue.value(for: $0.value)) }
                try disk.replace(Start.path, with: try XMLPropertyListWriter.write(members))
                model["edited"] = value
                if step.isMultiple(of: 2) {
                    stores[index] = try quietStore(disk.process())
                } else {
                    try store.refresh()
                }
            case 11: try store.synchronize()
            default: try store.bringUpToDate()
            }
        }
        for store in stores {
            try store.refresh()
            #expect(store.values == model, "seed \(seed)")
        }
        try stores[0].bringUpToDate()
        #expect(try disk.storedValues() ?? [:] == model, "seed \(seed)")
    }
}
