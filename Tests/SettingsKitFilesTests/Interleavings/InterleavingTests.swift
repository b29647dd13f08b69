import Testing

@testable import SettingsKitFiles

@Suite("Two processes in every order of their calls", .ownThreads)
struct InterleavingTests {
    @Test(
        "Whenever the power fails, what was synchronized is found, or what was written later",
        .timeLimit(Rounds.timeLimit), arguments: Scenario.all)
    func powerFailure(scenario: Scenario) throws {
        try explore(scenario, bound: scenario.bound, pace: Rounds.choose(scenario.pace, full: 1))
        if Rounds.areFull { try explore(scenario, bound: scenario.fullBound, pace: scenario.pace) }
    }

    private func explore(_ scenario: Scenario, bound: Int, pace: Int) throws {
        var exploration = try Exploration(scenario)
        try exploration.run(bound: bound, pace: pace)
        for failure in exploration.failures { Issue.record("\(failure)") }
        let (schedules, moments) = (exploration.scheduleCount, exploration.momentCount)
        print(
            """
            \(scenario.name): \(schedules) schedules with at most \(bound) preemptions. The power failed at \(moments) \
            moments, about one of \(pace), and left \(exploration.stateCount) different disks.
            """)
        #expect(schedules >= scenario.leastCount)
        // A log that was just flushed has one outcome.
        #expect(moments >= 10 && exploration.stateCount > moments / 2)
    }

    @Test("A schedule that is repeated has the same calls and the same results", arguments: Scenario.all)
    func repetition(scenario: Scenario) throws {
        let disk = try Execution.makeDisk(scenario)
        for moment in stride(from: 5, to: 60, by: 25) {
            let executions = try (0..<2).map { _ in
                try Execution(scenario, on: disk, bound: 1, observedFrom: 0) { index, choices in
                    index < moment ? 0 : choices.count - 1
                }
            }
            #expect(executions[0].points == executions[1].points)
            #expect(executions[0].history == executions[1].history)
            #expect(executions[0].snapshots.map(\.pointCount) == executions[1].snapshots.map(\.pointCount))
        }
    }

    @Test("A process that waits for the lock does not run, and the other one goes on")
    func lock() throws {
        let scenario = Scenario.all[0]
        // Changes to the other process at each point where it can.
        let execution = try Execution(scenario, on: Execution.makeDisk(scenario), bound: .max, observedFrom: 0) {
            $1.count - 1
        }
        let isForced = execution.points.contains { $0.choices == [.run(0)] || $0.choices == [.run(1)] }
        #expect(isForced)
        #expect(execution.points.last.map { $0.preemptions > 20 } == true)
    }

    @Test("An older value, a missing one and another process's one are recognized as wrong")
    func judgment() {
        var history = History()
        func perform(_ operation: Operation, _ process: Int) {
            history.begin(operation, of: process)
            history.succeed(operation, of: process)
        }
        func problem(_ value: String?, isPowerFailure: Bool = true) -> String? {
            let found = value.map { ["x": .init($0.utf8)] } ?? Values()
            return history.problem(
                with: found, from: ["x": .init("0".utf8)], after: history.count, isPowerFailure: isPowerFailure)
        }
        perform(.set("x", "1"), 0)
        #expect(problem("0") == nil && problem("1") == nil)
        #expect(problem(nil) != nil && problem("2") != nil)
        #expect(problem("0", isPowerFailure: false) != nil)
        history.begin(.synchronize, of: 1)
        perform(.set("x", "2"), 0)
        history.succeed(.synchronize, of: 1)
        history.begin(.set("x", "3"), of: 1)
        #expect(problem("0") != nil)
        #expect(["1", "2", "3"].allSatisfy { problem($0) == nil })
        #expect(problem("1", isPowerFailure: false) != nil)
        perform(.bringUpToDate, 0)
        #expect(problem("1") != nil)
        #expect(problem("2") == nil && problem("3") == nil)
    }
}
