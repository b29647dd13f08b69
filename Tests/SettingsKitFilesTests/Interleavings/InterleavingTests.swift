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
}
