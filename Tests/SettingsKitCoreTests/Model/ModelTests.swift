import Foundation
import SettingsKitCore
import Testing

/// Compares the engine with ``Model`` at every step. A failure prints its seed.
@Suite("The engine agrees with its model", .timeLimit(Rounds.timeLimit), .ownThreads)
struct ModelTests {
    @Test("By random orders of threads", arguments: ModelCase.allCases)
    func seeds(_ testCase: ModelCase) async {
        for seed in Rounds.seeds(0..<2_500, part: 200) {
            var generator = SeededGenerator(seed: seed)
            let world = ModelWorld(Scheduler(Choices(seed: seed)), storesDefault: testCase == .once)
            testCase.prepare(world, &generator)
            let threads = testCase.threads(world, &generator)
            guard world.scheduler.run(threads) != nil else {
                Issue.record("Seed \(seed): the threads wait for each other\n\(world.trace.joined(separator: "\n"))")
                return
            }
            await world.checkEnd()
            if !world.problems.isEmpty { record("Seed \(seed)", world) }
        }
    }

    @Test("By all orders of two threads with a few interruptions", arguments: 0..<ModelCase.small.count)
    func orders(_ number: Int) async {
        var choices = Choices(interruptions: Rounds.choose(2, full: 3))
        var orderCount = 0
        repeat {
            let world = ModelWorld(Scheduler(choices))
            ModelCase.oneStore.addStores(["a": "50", "b": "5"], to: world)
            let threads = ModelCase.small[number].map { operations -> @Sendable () -> Void in
                { for operation in operations { operation(world) } }
            }
            guard let made = world.scheduler.run(threads) else {
                Issue.record("The threads wait for each other\n\(world.trace.joined(separator: "\n"))")
                return
            }
            choices = made
            await world.checkEnd()
            orderCount += 1
            if !world.problems.isEmpty { return record("Order \(orderCount)", world) }
        } while choices.advance() && orderCount < Rounds.choose(2_000, full: 200_000)
    }

    private func record(_ name: String, _ world: ModelWorld) {
        Issue.record("\(name): \(world.problems.joined(separator: "\n"))\n\(world.trace.joined(separator: "\n"))")
    }
}
