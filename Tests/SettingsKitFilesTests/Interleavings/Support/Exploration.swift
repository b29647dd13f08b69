import Foundation
import SettingsKitPlatform
import Testing

@testable import SettingsKitFiles

/// Runs the schedules of a scenario, and cuts the power at each moment of each schedule.
///
/// Schedules are enumerated depth-first, up to a number of preemptions, as in CHESS (Musuvathi and others, "Finding and reproducing
/// Heisenbugs in concurrent programs", OSDI 2008): a schedule is repeated up to its last choice that has an alternative, which is taken
/// instead. Most mistakes need few preemptions; changes at the end of a process or at a lock that is taken are not limited.
///
/// The power fails whenever the disk has changed or an operation has begun or returned, in every way that
/// ``SimulatedDisk/powerFailures(for:in:)`` lists for the three files that are read at opening. The repeated part of a schedule was
/// examined before. A flush permits fewer ways than the moment before it, so it is no moment of its own.
struct Exploration {
    struct Failure: CustomStringConvertible {
        let problem: String
        let points: [Scheduler.Point]
        let end: Int

        /// The problem, and the schedule that leads to it: the runs of calls of each process.
        var description: String {
            let lines = points.prefix(end).map { point in
                let choice = point.choices[point.chosen]
                let isPlain = point.chosen == 0 || point.choices.count == 1
                return isPlain ? point.call : "\(point.call) -> \(choice)"
            }
            return ([problem] + lines).joined(separator: "\n    ")
        }
    }

    let scenario: Scenario
    let disk: SimulatedDisk
    private(set) var scheduleCount = 0
    /// The number of moments at which the power was cut, and of different disks that this left.
    private(set) var (momentCount, stateCount) = (0, 0)
    private(set) var failures: [Failure] = []
    private var generator = SeededGenerator(seed: 1)

    init(_ scenario: Scenario) throws {
        self.scenario = scenario
        disk = try Execution.makeDisk(scenario)
    }

    /// Runs every schedule with a number of preemptions at most, until one fails.
    ///
    /// - Parameter pace: Of so many moments, chosen at random, the power fails at one; ten times as often when a flush has just
    ///   succeeded and at the end of a schedule, when most must be kept.
    mutating func run(bound: Int, pace: Int) throws {
        var prefix: [Scheduler.Point] = []
        repeat {
            let chosen = prefix.map(\.chosen)
            let execution = try Execution(scenario, on: disk, bound: bound, observedFrom: chosen.count) { index, _ in
                index < chosen.count ? chosen[index] : 0
            }
            if execution.points.prefix(prefix.count).map(\.call) != prefix.map(\.call) {
                let problem = "A repeated schedule has other calls."
                failures.append(Failure(problem: problem, points: execution.points, end: chosen.count))
            }
            try check(execution, pace: pace)
            prefix = execution.points
            while let last = prefix.last, last.chosen == last.choices.count - 1 { prefix.removeLast() }
            guard let last = prefix.popLast() else { return }
            prefix.append(
                .init(call: last.call, choices: last.choices, chosen: last.chosen + 1, preemptions: last.preemptions))
        } while failures.isEmpty
    }

    // MARK: Checks

    /// Checks what is found after power failures at some of the recorded moments, and without them.
    private mutating func check(_ execution: Execution, pace: Int) throws {
        scheduleCount += 1
        var known: [PowerFailureOutcome.Identity: Result<Values, any Error>] = [:]
        for (index, snapshot) in execution.snapshots.enumerated() {
            let isImportant = snapshot.isFlushed || index == execution.snapshots.count - 1
            let pace = isImportant ? max(1, pace / 10) : pace
            guard failures.isEmpty, Int.random(in: 0..<pace, using: &generator) == 0 else { continue }
            momentCount += 1
            expect(read(snapshot.disk), in: execution, at: snapshot, isPowerFailure: false)
            let outcomes = snapshot.disk.powerFailures(for: scenario.subject.names, in: Start.directory)
            for outcome in outcomes {
                let found = known[outcome.identity] ?? read(outcome.disk())
                if known.updateValue(found, forKey: outcome.identity) == nil { stateCount += 1 }
                expect(found, in: execution, at: snapshot, isPowerFailure: true)
            }
            if let outcome = outcomes.randomElement(using: &generator), failures.isEmpty {
                try checkUse(of: outcome.disk(), execution)
            }
        }
    }

    /// Checks that a store continues with the values that were found.
    private mutating func checkUse(of disk: SimulatedDisk, _ execution: Execution) throws {
        let expected = read(disk)
        let found = try disk.findValues(of: scenario.subject)
        if case .success(let values) = expected, values == found { return }
        failures.append(
            .init(problem: "A store has other values.", points: execution.points, end: execution.points.count))
    }

    private mutating func expect(
        _ found: Result<Values, any Error>, in execution: Execution, at snapshot: Scheduler.Snapshot,
        isPowerFailure: Bool
    ) {
        let problem: String?
        switch found {
        case .success(let values):
            problem = execution.history.problem(
                with: values, from: Execution.values(before: scenario), after: snapshot.eventCount,
                isPowerFailure: isPowerFailure)
        case .failure(let error): problem = "Opening fails: \(error)"
        }
        guard let problem else { return }
        let cause = isPowerFailure ? "After a power failure: " : "Without a power failure: "
        failures.append(.init(problem: cause + problem, points: execution.points, end: snapshot.pointCount))
    }

    /// Reads the files as when a store is opened.
    private func read(_ disk: SimulatedDisk) -> Result<Values, any Error> {
        Result { try scenario.subject.open(disk.process()).storedValues }
    }
}

extension SimulatedDisk {
    /// Opens the files in a new process, sets one more value, compacts the log or prints the list, and looks whether another process,
    /// and the list, has everything.
    fileprivate func findValues(of subject: Subject) throws -> Values {
        let store = try subject.open(process())
        let found = store.storedValues
        try store.perform(.set("afterwards", "1"))
        try store.perform(.bringUpToDate)
        let expected = found.merging(["afterwards": Data("1".utf8)]) { $1 }
        #expect(try subject.open(process()).storedValues == expected)
        if subject == .propertyList { #expect(try storedValues() == expected) }
        return found
    }
}
