import Foundation
import Testing

@testable import SettingsKitFiles

/// The last replica has a setting that the first has removed since.
private let unheard: [ModelWorld.Step] = [
    .set(replica: 0, key: 0), .read(replica: 2, from: 0), .remove(replica: 0, key: 0),
]

/// All that can happen to three replicas within some steps. The depth is bounded here, and greater in CI, where
/// `SETTINGSKIT_SEARCH_DEPTH` adds to it.
@Suite struct `In every world that some steps lead to` {
    private static let further =
        ProcessInfo.processInfo.environment["SETTINGSKIT_SEARCH_DEPTH"].flatMap { Int($0) } ?? 0

    /// The scenarios, how many steps are taken, and how many worlds these lead to.
    static let scenarios: [(ModelWorld.Scenario, depth: Int, worlds: Int)] = [
        (.init(name: "one setting"), 4, 5_570),
        (.init(name: "two settings", keys: 2), 4, 16_521),
        (.init(name: "a copied state", clones: true), 4, 7_064),
        (.init(name: "a device that is thrown away", throwsAway: true), 4, 6_046),
        (.init(name: "a clock that stays ahead", lastingError: 100 * Device.day), 4, 2_694),
        (.init(name: "a clock that stays behind", lastingError: -50 * Device.day), 4, 2_616),
        (.init(name: "removals that are forgotten", replicas: 2, forgets: true), 4, 11_929),
        (.init(name: "a removal that one of three has not heard of", forgets: true, beginning: unheard), 3, 9_617),
    ]

    @Test(arguments: scenarios)
    func `all replicas agree in the end, and no change loses against one that its writer had seen`(
        scenario: ModelWorld.Scenario, depth: Int, worlds: Int
    ) async {
        // The two that grow fastest would take many minutes.
        let depth = scenario.keys > 1 || !scenario.beginning.isEmpty ? depth : depth + Self.further
        let search = await CompleteSearch(scenario, depth: depth)
        print("\(scenario.name): \(search.count) worlds at most \(depth) steps away")
        #expect(search.fault == nil, "\(String(describing: search.fault))")
        // Fewer would mean that steps are missing.
        if Self.further == 0 { #expect(search.count == worlds) }
    }
}

@Suite struct `The search of all worlds` {
    /// The rule, the scenario that shows what is wrong with it, and after how many steps.
    static let mutants: [(ModelReplica.Mutant, ModelWorld.Scenario, depth: Int)] = [
        (.vouchesForNothing, .init(name: "one setting"), 4),
        (.vouchesForOwnEntriesOnly, .init(name: "a clock that stays ahead", lastingError: 100 * Device.day), 3),
        (.beginsNoEpoch, .init(name: "one setting"), 4),
        (.forgetsWhatOthersHaveNotHeard, .init(name: "removals", forgets: true, beginning: unheard), 2),
        (.hearsIncompleteFiles, .init(name: "removals", replicas: 2, forgets: true), 2),
        (.hearsWhatItHoldsBack, .init(name: "removals", replicas: 2, forgets: true), 3),
        (.forgetsInAnEmptyDirectory, .init(name: "removals", replicas: 2, forgets: true), 5),
    ]

    @Test(arguments: mutants)
    func `finds what is wrong with a rule that is broken on purpose`(
        mutant: ModelReplica.Mutant, scenario: ModelWorld.Scenario, depth: Int
    ) async {
        var scenario = scenario
        scenario.mutant = mutant
        let search = await CompleteSearch(scenario, depth: depth)
        #expect(search.fault != nil, "not found in \(search.count) worlds")
    }
}
