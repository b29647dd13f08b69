import Foundation

/// Runs two processes in turn: one at a time, until its next call of the file system. A strategy decides which of them makes its call
/// next, and when an incident happens.
///
/// Each process has a thread, which waits while the other one runs. A process that has not got the lock on the lock file cannot run
/// until the lock is free.
final class Scheduler: Sendable {
    enum Choice: Hashable, Sendable {
        case run(Int)
        /// A process ends before its call; in the middle of it.
        case kill(Int), tear(Int)
        /// The flush that a process is about to make fails.
        case failFlush(Int)
        case failWriteBack
    }

    /// A moment at which the strategy has chosen.
    struct Point: Hashable, Sendable {
        /// The call that the running process is about to make.
        let call: String
        let choices: [Choice]
        let chosen: Int
        /// The number of preemptions before it.
        let preemptions: Int
    }

    /// The disk at one moment.
    struct Snapshot: Sendable {
        let disk: SimulatedDisk
        /// The number of events in the history.
        let eventCount: Int
        let pointCount: Int
        /// Whether a process has flushed its changes successfully just now.
        let isFlushed: Bool
    }

    private struct State {
        var points: [Point] = []
        var snapshots: [Snapshot] = []
        var history = History()
        var preemptions = 0
        var isIncidentLeft: Bool
        /// The file whose lock each process has not got.
        var awaitedLocks: [String?] = [nil, nil]
        var isFinished = [false, false]
        var isDead = [false, false]
        var lastChange: Int64 = 0
    }

    /// What a process does next.
    private enum Next {
        case proceed, leave
        case waitAfterStarting(Int)
    }

    private let disk: SimulatedDisk
    private let processes: [SimulatedProcess]
    private let scenario: Scenario
    private let bound: Int
    private let observedFrom: Int
    private let choose: @Sendable (Int, [Choice]) -> Int
    private let state: Mutex<State>
    private let turns = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]

    /// - Parameters:
    ///   - bound: The greatest number of preemptions: changes to the other process although the running one could go on.
    ///   - observedFrom: The number of the first point before which the disk is recorded.
    ///   - choose: Receives the number of the point, and the choices.
    init(
        _ disk: SimulatedDisk, _ processes: [SimulatedProcess], _ scenario: Scenario, bound: Int,
        observedFrom: Int, choose: @escaping @Sendable (Int, [Choice]) -> Int
    ) {
        (self.disk, self.processes, self.scenario, self.bound) = (disk, processes, scenario, bound)
        (self.observedFrom, self.choose) = (observedFrom, choose)
        state = Mutex(State(isIncidentLeft: scenario.incident != nil))
    }

    var points: [Point] { state.withLock { $0.points } }
    var snapshots: [Snapshot] { state.withLock { $0.snapshots } }
    var history: History { state.withLock { $0.history } }

    // MARK: Running

    /// Runs both processes to their ends. `program` runs on each one's thread.
    func run(_ program: @Sendable (Int) -> Void) {
        for (number, process) in processes.enumerated() {
            process.beforeEachCall { [self] name, path in reach(number, name, path) }
        }
        turns[state.withLock { start(&$0) }].signal()
        inParallel(processes.count) { number in
            wait(number)
            program(number)
            finish(number)
        }
        for process in processes { process.beforeEachCall(nil) }
    }

    /// Records the beginning and the success of an operation.
    func record(_ operation: Operation, of process: Int, _ body: () throws -> Void) {
        state.withLock { $0.history.begin(operation, of: process) }
        do {
            try body()
        } catch {
            return
        }
        state.withLock { state in
            guard !state.isDead[process] else { return }
            state.history.succeed(operation, of: process)
            if operation.isFlush { observe(&state, isFlushed: true) }
        }
    }

    private func start(_ state: inout State) -> Int {
        if case .run(let process) = decide("start", [.run(0), .run(1)], &state) { process } else { 0 }
    }

    private func wait(_ process: Int) {
        if turns[process].wait(timeout: .now() + 60) == .timedOut { fatalError("No process runs.") }
    }

    private func finish(_ process: Int) {
        let other = state.withLock { state in
            observe(&state)
            state.isFinished[process] = true
            // If the other one is dead, its remaining calls fail.
            return state.isFinished[1 - process] ? nil : 1 - process
        }
        if let other { turns[other].signal() }
    }

    // MARK: Points

    /// Waits until a process may make a call.
    private func reach(_ process: Int, _ name: String, _ path: String) {
        let isOfLockFile = path.hasSuffix("-lock")
        // The status of the lock file never changes. Whether a process examines it depends on the time.
        if isOfLockFile, name == "stat" || name == "fstat" { return }
        let call = "\(process) \(name) \(Self.shortName(path))"
        var isFirst = true
        while true {
            let next = state.withLock { state in pass(process, name, call, mayChange: isFirst, &state) }
            switch next {
            case .leave: return
            case .proceed:
                let isWaiting = name == "flock" && disk.isLocked(path)
                return state.withLock { $0.awaitedLocks[process] = isWaiting ? path : nil }
            case .waitAfterStarting(let other):
                turns[other].signal()
                wait(process)
                isFirst = false
            }
        }
    }

    private func pass(
        _ process: Int, _ name: String, _ call: String, mayChange: Bool, _ state: inout State
    ) -> Next {
        guard !state.isDead[process] else { return .leave }
        observe(&state)
        let other = 1 - process
        let canGoOn = canRun(process, state)
        let canOther = canRun(other, state)
        var choices: [Choice] = canGoOn ? [.run(process)] : []
        if mayChange, canOther, !canGoOn || state.preemptions < bound { choices.append(.run(other)) }
        if canGoOn, state.isIncidentLeft { choices += incidents(at: name, of: process, mayChange: mayChange, state) }
        if choices.isEmpty { fatalError("Each process waits for the other at \(call).") }
        let choice = mayChange || choices.count > 1 ? decide(call, choices, &state) : choices[0]
        if choice != .run(process), choice != .run(other) { state.isIncidentLeft = false }
        switch choice {
        case .run(process): break
        case .run:
            if canGoOn { state.preemptions += 1 }
            return .waitAfterStarting(other)
        case .kill(let victim):
            processes[victim].kill()
            state.isDead[victim] = true
        case .tear:
            processes[process].set(.partialDeath(0))
            state.isDead[process] = true
        case .failFlush: processes[process].set(.once(0, errno: EIO))
        case .failWriteBack:
            do { try disk.failWriteBack(of: scenario.subject.flushedPath) } catch {}
        }
        return .proceed
    }

    private func incidents(at name: String, of process: Int, mayChange: Bool, _ state: State) -> [Choice] {
        switch scenario.incident {
        case .death:
            if process == 1, name == "write" { return mayChange ? [.kill(1), .tear(1)] : [.tear(1)] }
            return mayChange && !state.isFinished[1] && !state.isDead[1] ? [.kill(1)] : []
        case .failedFlush: return process == 0 && name == "fsync" ? [.failFlush(0)] : []
        case .failedWriteBack: return mayChange ? [.failWriteBack] : []
        case nil: return []
        }
    }

    private func canRun(_ process: Int, _ state: State) -> Bool {
        !state.isFinished[process] && !state.isDead[process]
            && !(state.awaitedLocks[process].map { disk.isLocked($0) } ?? false)
    }

    private func decide(_ call: String, _ choices: [Choice], _ state: inout State) -> Choice {
        let chosen = choices.count == 1 ? 0 : choose(state.points.count, choices)
        state.points.append(
            Point(call: call, choices: choices, chosen: chosen, preemptions: state.preemptions))
        return choices[chosen]
    }

    private func observe(_ state: inout State, isFlushed: Bool = false) {
        guard state.points.count >= observedFrom else { return }
        let change = disk.changeCount
        let last = state.snapshots.last
        if let last, state.lastChange == change, last.eventCount == state.history.count { return }
        state.lastChange = change
        state.snapshots.append(
            Snapshot(
                disk: SimulatedDisk(copyOf: disk), eventCount: state.history.count, pointCount: state.points.count,
                isFlushed: isFlushed))
    }

    /// The last component of a path, without the random part of temporary names.
    private static func shortName(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.hasPrefix(".") ? "*." + (name.split(separator: ".").last.map(String.init) ?? "") : name
    }
}
