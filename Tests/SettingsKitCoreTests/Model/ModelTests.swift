import Foundation
import SettingsKitCore
import Testing

/// Compares the engine with ``Model`` at every step. A failure prints its seed.
@Suite("The engine agrees with its model", .timeLimit(Rounds.timeLimit), .ownThreads)
struct ModelTests {
    @Test("One store, in any order of threads")
    func oneStore() async {
        for seed in Rounds.seeds(0..<20_000, part: 400) { await run(seed, ModelCase.oneStore) }
    }

    private func run(_ seed: UInt64, _ prepare: (ModelWorld, inout SeededGenerator) -> Void) async {
        let world = ModelWorld(Scheduler(Choices(seed: seed)))
        var generator = SeededGenerator(seed: seed)
        prepare(world, &generator)
        let bodies = ModelCase.bodies(world, &generator)
        guard world.scheduler.run(bodies) != nil else {
            Issue.record("Seed \(seed): the threads wait for each other")
            return
        }
        await world.checkEnd()
        if !world.problems.isEmpty {
            Issue.record(
                "Seed \(seed): \(world.problems.joined(separator: "\n"))\n\(world.trace.joined(separator: "\n"))")
        }
    }
}

/// Random operations on random stores.
enum ModelCase {
    static func oneStore(_ world: ModelWorld, _ generator: inout SeededGenerator) {
        let contents = ["a": "5", "b": "50"].filter { _ in Bool.random(using: &generator) }
        let store = world.addStore(contents)
        world.addService(over: store, [0])
        if Bool.random(using: &generator) { world.addService(over: store, [0]) }
        for _ in 0..<2 { world.observe(0, world.settings[Int.random(in: 0..<3, using: &generator)]) }
    }

    /// Two or three threads with a few operations each.
    static func bodies(_ world: ModelWorld, _ generator: inout SeededGenerator) -> [@Sendable () -> Void] {
        (0..<Int.random(in: 2...3, using: &generator)).map { _ in
            let operations = (0..<Int.random(in: 1...4, using: &generator)).map { _ in operation(world, &generator) }
            return { for operation in operations { operation() } }
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String? {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: nil
        case 1: "oops"
        default: "\(number(&generator))"
        }
    }

    /// Few numbers, so that some are equal: accepted by both settings of the name, by one, and by none.
    private static func number(_ generator: inout SeededGenerator) -> Int {
        [5, 20, 50, 55, 70, 75, 90, MarkedTransformer.unstorable].randomElement(using: &generator)!
    }

    private static func operation(
        _ world: ModelWorld, _ generator: inout SeededGenerator
    ) -> @Sendable () -> Void {
        let service = Int.random(in: 0..<world.services.count, using: &generator)
        let setting = world.settings[Int.random(in: 0..<3, using: &generator)]
        let (number, text) = (number(&generator), text(&generator))
        switch Int.random(in: 0..<16, using: &generator) {
        case 0..<3: return { world.get(service, setting) }
        case 3..<6: return { world.set(service, setting, to: number) }
        case 6: return { world.set(service, setting, to: number, throwing: true) }
        case 7: return { world.reset(service, setting) }
        case 8..<11: return { world.edit(0, [(setting.name, text)]) }
        case 11: return { world.update(service, setting, adding: 15) }
        case 12, 13: return { world.observe(service, setting) }
        case 14: return { world.cancel() }
        default: return { world.track(service, setting) }
        }
    }
}
