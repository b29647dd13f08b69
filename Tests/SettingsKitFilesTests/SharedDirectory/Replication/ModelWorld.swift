import Foundation
import Testing

@testable import SettingsKitFiles

/// Three replicas and the files that go between them.
struct ModelWorld: Hashable {
    /// The events of the replicas, in addition to changing settings, reading each other's files, and clocks that
    /// jump, and that a copy of a file stays somewhere.
    struct Scenario: Sendable, CustomTestStringConvertible {
        var name: String
        /// How many settings there are.
        var keys = 1
        var replicas = 3
        /// Whether a replica's state is copied, so that two replicas have one ID.
        var clones = false
        /// Whether a replica is thrown away, and its last file stays.
        var throwsAway = false
        /// How far the clock of the last replica stays off, in milliseconds.
        var lastingError: Int64?
        /// Whether settings are removed, time passes, removals are forgotten, and files arrive in part.
        var forgets = false
        /// Whether there is a forged file for a moment, which accepts everything, and has moments of unknown replicas.
        var forges = false
        /// How many epochs with times a file may have.
        var epochs = DirectoryLimits.acceptedEpochs
        /// For how many replicas a file may have the moment up to which its writer has their changes.
        var heard = DirectoryLimits.heardReplicas
        /// The steps that have been taken already.
        var beginning: [Step] = []
        var mutant: ModelReplica.Mutant?

        var testDescription: String { name }
    }

    enum Step: Hashable, Sendable {
        case set(replica: Int, key: Int)
        case remove(replica: Int, key: Int)
        case jump(replica: Int, error: Int64)
        case read(replica: Int, from: Int)
        case readInPart(replica: Int, from: Int)
        case copyFile(of: Int)
        case clone
        case throwAway
        case pass
        /// The directory is empty for a moment.
        case lookAtNothing(replica: Int)
        case lookAtForgedFile(replica: Int)
    }

    /// How far clocks are off: far ahead, far behind, ahead by less.
    static let errors: [Int64] = [0, 100 * Device.day, -50 * Device.day, 60 * Device.day]
    /// After how long removals are forgotten, and how much time passes in a step: all errors are past then.
    private static let retention = 180 * Device.day

    private(set) var replicas: [ModelReplica]
    private var time = Device.noon
    /// The copy of a file.
    private var copy: ReplicaFile?
    /// The files that each replica has of the others. Only if something is forgotten does it matter what was there before.
    private var directories: [[Int: ReplicaFile]]
    private var isThrownAway = false
    /// The entries that a replica had seen when it changed the setting.
    private var beaten: Set<SharedRecord> = []
    /// All entries that were ever written, if it matters which replicas have received them.
    private var written: Set<SharedRecord> = []

    init(_ scenario: Scenario) {
        replicas = (1...scenario.replicas).map {
            ModelReplica(id: UInt64($0), epochs: scenario.epochs, heard: scenario.heard)
        }
        directories = Array(repeating: [:], count: scenario.replicas)
        if let error = scenario.lastingError { replicas[scenario.replicas - 1].error = error }
        guard scenario.forgets else { return }
        // Each knows of the others: no replica can wait for one that never had a file.
        for index in replicas.indices {
            for other in replicas.indices where other != index {
                directories[index][other] = replicas[other].file(at: time)
            }
            replicas[index].note(files: Array(directories[index].values), at: time)
        }
    }

    /// Those that can still do something.
    private var active: Range<Int> { 0..<(isThrownAway ? replicas.count - 1 : replicas.count) }

    // MARK: Steps

    func steps(_ scenario: Scenario) -> [Step] {
        var steps: [Step] = []
        let last = replicas.count - 1
        for index in active {
            for key in 0..<scenario.keys {
                steps.append(.set(replica: index, key: key))
                if scenario.forgets { steps.append(.remove(replica: index, key: key)) }
            }
            if scenario.lastingError == nil || index < last {
                for error in Self.errors where error != replicas[index].error {
                    steps.append(.jump(replica: index, error: error))
                }
            }
            for other in active where other != index {
                steps.append(.read(replica: index, from: other))
                if scenario.forgets { steps.append(.readInPart(replica: index, from: other)) }
            }
            if copy == nil { steps.append(.copyFile(of: index)) }
            if scenario.forgets { steps.append(.lookAtNothing(replica: index)) }
            if scenario.forges { steps.append(.lookAtForgedFile(replica: index)) }
        }
        if scenario.clones, replicas[last].known.isEmpty { steps.append(.clone) }
        if scenario.throwsAway, !isThrownAway { steps.append(.throwAway) }
        if scenario.forgets { steps.append(.pass) }
        return steps
    }

    func after(_ step: Step, _ scenario: Scenario) -> ModelWorld {
        var world = self
        switch step {
        case .set(let index, let key): world.set(key, to: Data([UInt8(index)]), at: index, scenario)
        case .remove(let index, let key): world.set(key, to: nil, at: index, scenario)
        case .jump(let index, let error): world.replicas[index].error = error
        case .read(let index, let other):
            world.deliver([world.export(other, scenario)], from: [other], to: index, scenario)
        case .readInPart(let index, let other):
            var file = world.export(other, scenario)
            if !file.records.isEmpty { file.records.removeLast() } else { file.header = nil }
            world.deliver([file], from: [other], to: index, scenario)
        case .copyFile(let index):
            world.copy = world.export(index, scenario)
            // Somewhere it has been from then on.
            if scenario.forgets { world.directories[(index + 1) % replicas.count][Self.copyPlace] = world.copy }
        case .lookAtNothing(let index): world.look(index, at: [], scenario)
        case .lookAtForgedFile(let index):
            world.look(index, at: world.directories[index].values + [Self.forgedFile], scenario)
        case .clone: world.replicas[replicas.count - 1] = replicas[0]
        case .throwAway:
            world.copy = world.export(replicas.count - 1, scenario)
            world.isThrownAway = true
        case .pass:
            world.time += Self.retention + Device.day
        }
        return world
    }

    private static let copyPlace = -1

    private static let forgedFile: ReplicaFile = {
        let last = HybridMoment(epoch: 9, instant: Instant(milliseconds: Instant.latestMilliseconds))
        let header = ReplicaHeader(
            replica: ReplicaID(100), device: "forged", written: Device.noon, recordCount: 0,
            accepted: AcceptedTimes([0: Instant.latestMilliseconds, 9: Instant.latestMilliseconds - 1]),
            heard: HeardMoments([ReplicaID(100): last, ReplicaID(101): last]))
        return ReplicaFile(header: header)
    }()

    /// Whether a replica's file has something that only the forged one has said.
    private func hasTraceOfForgedFile(_ replica: ModelReplica) -> Bool {
        replica.heard.moments.keys.contains { $0 >= ReplicaID(100) }
            || replica.accepted.times.values.contains { $0 >= Instant.latestMilliseconds - 1 }
    }

    private mutating func set(_ key: Int, to value: Data?, at index: Int, _ scenario: Scenario) {
        let name = key == 0 ? "a" : "b"
        // Removing what has no value is no change.
        if value == nil, replicas[index].known[name]?.value == nil { return }
        // What a clock that stays wrong has stamped is held back.
        if let seen = replicas[index].known[name], scenario.lastingError == nil || index < replicas.count - 1 {
            beaten.insert(SharedRecord(name: name, entry: seen))
        }
        let entry = replicas[index].set(name, to: value, at: time, mutant: scenario.mutant)
        if scenario.forgets { written.insert(SharedRecord(name: name, entry: entry)) }
    }

    /// A replica's file, written after a look at what it has, as always.
    private mutating func export(_ index: Int, _ scenario: Scenario) -> ReplicaFile {
        look(index, at: Array(directories[index].values), scenario)
        return replicas[index].file(at: time)
    }

    private mutating func deliver(_ files: [ReplicaFile], from others: [Int], to index: Int, _ scenario: Scenario) {
        guard scenario.forgets else { return look(index, at: files, scenario) }
        for (other, file) in zip(others, files) { directories[index][other] = file }
        look(index, at: Array(directories[index].values), scenario)
    }

    private mutating func look(_ index: Int, at files: [ReplicaFile], _ scenario: Scenario) {
        replicas[index].look(at: files, at: time, mutant: scenario.mutant)
        guard scenario.forgets else { return }
        replicas[index].note(files: files, at: time, mutant: scenario.mutant)
        guard files.allSatisfy(\.isComplete) else { return }
        let now = time + replicas[index].error
        let latest = files.compactMap(\.header).filter { $0.replica != replicas[index].id }.map(\.written).max()
        replicas[index].forget(before: min(now, latest ?? now) - Self.retention, files: files, mutant: scenario.mutant)
    }

    // MARK: What must hold

    /// What is wrong after all clocks are right and each replica's file has reached all others, twice; wherever the copy of a
    /// file is; and again when everything is due.
    func fault(_ scenario: Scenario) -> String? {
        for record in written {
            for replica in replicas where replica.heard.covers(record.entry.stamp) {
                guard replica.knows(record, written: written) else {
                    return "a replica has not heard what it says it has"
                }
            }
        }
        let lastRight = scenario.lastingError == nil ? replicas.count : replicas.count - 1
        for holder in 0..<(copy == nil ? 1 : active.count) {
            var world = self
            for index in 0..<lastRight { world.replicas[index].error = 0 }
            for pause in [0, 1_000 * Device.day] {
                world.time += pause
                for _ in 0..<2 { world.exchange(holder: holder, scenario) }
                let values = world.active.prefix(lastRight).map {
                    world.replicas[$0].known.filter { $0.value.value != nil }
                }
                guard values.allSatisfy({ $0 == values[0] }) else { return "the replicas do not agree (\(pause))" }
                if world.replicas.contains(where: hasTraceOfForgedFile) { return "a forged file left a trace" }
                for (name, entry) in values[0] where world.beaten.contains(SharedRecord(name: name, entry: entry)) {
                    if world.waitsForThrownAway(name) { continue }
                    return "a change lost against one that its writer had seen (\(pause))"
                }
                // What not all can say that they have heard is kept.
                guard pause > 0, scenario.forgets, copy == nil, scenario.heard >= replicas.count else { continue }
                world.time += Device.day
                world.exchange(holder: holder, scenario)
                guard world.replicas.allSatisfy({ $0.known.values.allSatisfy { !$0.isTombstone } }) else {
                    return "a removal is never forgotten"
                }
            }
        }
        return nil
    }

    /// Whether a setting has a change of the replica that was thrown away which is still in the future. The replica's
    /// clock was ahead to the end, so it never vouched for the change, and the others wait until the change is due.
    private func waitsForThrownAway(_ name: String) -> Bool {
        guard isThrownAway, let copy, let header = copy.header else { return false }
        return copy.records.contains { record in
            let stamp = record.entry.stamp
            return record.name == name && stamp.replica == header.replica
                && !header.accepted.accepts(stamp.moment, now: time)
        }
    }

    private mutating func exchange(holder: Int, _ scenario: Scenario) {
        if scenario.forgets, let copy { directories[holder][Self.copyPlace] = copy }
        let files = active.map { index in
            // The copy is in the holder's directory, too.
            if !scenario.forgets, index == holder, let copy { look(index, at: [copy], scenario) }
            return export(index, scenario)
        }
        for index in active {
            let others = active.filter { $0 != index }
            let isHolder = !scenario.forgets && index == holder
            deliver(
                others.map { files[$0] } + (isHolder ? copy.map { [$0] } ?? [] : []), from: Array(others), to: index,
                scenario)
        }
    }
}

/// A search of all worlds that some steps lead to.
struct CompleteSearch {
    let scenario: ModelWorld.Scenario
    /// How many worlds there are.
    private(set) var count = 0
    /// The first fault, with the steps that lead to it.
    private(set) var fault: (steps: [ModelWorld.Step], text: String)?

    /// Goes through all worlds at most `depth` steps away, nearest first, until there is a fault.
    init(_ scenario: ModelWorld.Scenario, depth: Int) async {
        self.scenario = scenario
        let beginning = scenario.beginning.reduce(ModelWorld(scenario)) { $0.after($1, scenario) }
        var seen: Set<ModelWorld> = [beginning]
        var level: [(world: ModelWorld, steps: [ModelWorld.Step])] = [(beginning, [])]
        for remaining in (0...depth).reversed() {
            var next: [(world: ModelWorld, steps: [ModelWorld.Step])] = []
            for (world, steps) in level {
                count += 1
                // Tests that wait for something have a turn in between.
                if count.isMultiple(of: 100) { await Task.yield() }
                if let text = world.fault(scenario) {
                    fault = (steps, text)
                    return
                }
                guard remaining > 0 else { continue }
                for step in world.steps(scenario) {
                    let new = world.after(step, scenario)
                    if seen.insert(new).inserted { next.append((new, steps + [step])) }
                }
            }
            level = next
        }
    }
}
