import Foundation
import Testing

@testable import SettingsKitFiles

/// Each case is one schedule and depends on nothing but its seed: a case that fails fails again.
@Suite("Five replicas", .ownThreads)
struct ScheduleTests {
    @Test("Five replicas whose clocks are off by hours agree on the latest of all that was ever set")
    func whoseClocksAreOff() {
        for seed in Rounds.seeds(0..<500) {
            var schedule = Schedule(seed: seed, clockErrors: [-Device.day / 3, -1, 0, 60_000, Device.day / 3])
            schedule.run()
            let latest = Dictionary(grouping: schedule.writes, by: \.name).compactMapValues { $0.map(\.entry).max() }
            schedule.settle()
            for replica in schedule.replicas {
                #expect(replica.known == latest, "seed \(seed)")
                #expect(!replica.hasMetItself, "seed \(seed)")
            }
            #expect(schedule.faults.isEmpty, "seed \(seed)")
        }
    }

    @Test(
        "Five replicas whose clocks were off by years and are right in the end agree, whatever they have of each other")
    func whoseClocksWereOff() {
        for seed in Rounds.seeds(500..<1_000) {
            let year = 365 * Device.day
            var schedule = Schedule(
                seed: seed, clockErrors: [-30 * year, -year, 0, 0, 0, Device.day / 2, year, 10 * year])
            schedule.run()
            schedule.settle()
            for replica in schedule.replicas { #expect(replica.known == schedule.replicas[0].known, "seed \(seed)") }
            // And when what was held back is due.
            schedule.settle(after: 11 * year)
            let latest = Dictionary(grouping: schedule.told, by: \.name).compactMapValues { $0.map(\.entry).max() }
            for replica in schedule.replicas { #expect(replica.known == latest, "seed \(seed)") }
            #expect(schedule.faults.isEmpty, "seed \(seed)")
        }
    }
}

/// What happens to some replicas and the files that go between them.
private struct Schedule {
    private var generator: SeededGenerator
    private let clockErrors: [Int64]
    /// The right time.
    private var time = Device.noon
    private(set) var replicas = (1...5).map { ModelReplica(id: $0) }
    /// All files there ever were, by replica.
    private var files: [[[UInt8]]] = Array(repeating: [], count: 5)
    private(set) var writes: [SharedRecord] = []
    /// What must not happen.
    private(set) var faults: [String] = []

    init(seed: UInt64, clockErrors: [Int64]) {
        generator = SeededGenerator(seed: seed)
        self.clockErrors = clockErrors
    }

    private mutating func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func run() {
        for step in 0..<25 {
            let index = random(0..<5)
            switch random(0..<14) {
            case 0..<4: set("\(step)", at: index)
            case 4: set(nil, at: index)
            case 5..<8: export(index)
            case 8: deliver(newest: 1, to: index)
            case 9: deliver(newest: 1, to: index, times: 2)
            case 10: deliverOlder(to: index)
            case 11: deliver(newest: 2, to: index)
            case 12: deliverCut(to: index)
            default: replicas[index].error = clockErrors.randomElement(using: &generator) ?? 0
            }
            // Often, several things happen within a millisecond.
            time += [0, 0, 1, 1_000, Device.day / 10].randomElement(using: &generator) ?? 0
        }
    }

    private mutating func set(_ value: String?, at index: Int) {
        let name = ["a", "b", "c"].randomElement(using: &generator) ?? ""
        let known = replicas[index].known.values.map(\.stamp).max()
        let entry = replicas[index].set(name, to: value.map { Data($0.utf8) }, at: time)
        if let known, entry.stamp <= known { faults.append("a write loses against what was known") }
        writes.append(SharedRecord(name: name, entry: entry))
    }

    // MARK: Delivery

    /// Any replica's last files, two of them as a syncer leaves them that has found a conflict.
    private mutating func deliver(newest count: Int, to index: Int, times: Int = 1) {
        let sender = random(0..<5)
        for file in files[sender].suffix(count) {
            for _ in 0..<times { receive(file, at: index) }
        }
    }

    /// Any file there ever was, the replica's own included: one that is late, or came back from a backup.
    private mutating func deliverOlder(to index: Int) {
        guard let file = files.joined().randomElement(using: &generator) else { return }
        receive(file, at: index)
    }

    private mutating func deliverCut(to index: Int) {
        guard let file = files.joined().randomElement(using: &generator) else { return }
        receive(Array(file.prefix(random(0..<file.count))), whole: file, at: index)
    }

    private mutating func receive(_ bytes: [UInt8], whole: [UInt8]? = nil, at index: Int) {
        guard let file = replicaFile(bytes) else { return }
        if let whole, file.records != Array((replicaFile(whole)?.records ?? []).prefix(file.records.count)) {
            faults.append("a cut file has other records")
        }
        let known = replicas[index].known
        replicas[index].look(at: [file], at: time)
        for (name, entry) in known where replicas[index].known[name].map({ $0 < entry }) ?? true {
            faults.append("an entry gave way to an earlier one")
        }
    }

    /// Writes the bytes by which a replica tells others what it knows, after a look as always.
    private mutating func export(_ index: Int) {
        replicas[index].look(at: [], at: time)
        let file = replicas[index].file(at: time)
        if let header = file.header { files[index].append(ReplicaFileWriter.bytes(header, file.records)) }
    }

    /// The records of all files.
    var told: [SharedRecord] { files.joined().flatMap { replicaFile($0)?.records ?? [] } }

    // MARK: The end

    /// Corrects all clocks, after some time, and has all files that ever were reach every replica, twice.
    mutating func settle(after pause: Int64 = 0) {
        time += pause
        for _ in 0..<2 {
            for index in replicas.indices {
                replicas[index].error = 0
                export(index)
            }
            let all = files.joined().compactMap { replicaFile($0) }
            for index in replicas.indices { replicas[index].look(at: all.shuffled(using: &generator), at: time) }
        }
    }
}
