import Foundation
import Testing

@testable import SettingsKitFiles

/// The last replica has a setting that the first has removed since.
private let unheard: [ModelWorld.Step] = [
    .set(replica: 0, key: 0), .read(replica: 2, from: 0), .remove(replica: 0, key: 0),
]

/// The first replica has a change in the future, and its clock is about to be corrected, but not to the right time.
private let ahead: [ModelWorld.Step] = [
    .jump(replica: 0, error: 100 * Device.day), .set(replica: 0, key: 0), .jump(replica: 0, error: 60 * Device.day),
]

/// All that can happen to three replicas within some steps.
@Suite("In every world that some steps lead to", .ownThreads)
struct InEveryWorldThatSomeStepsLeadToTests {
    /// A scenario, and to how many worlds so many steps lead: fewer would mean that steps are missing.
    struct Search: Sendable, CustomTestStringConvertible {
        let scenario: ModelWorld.Scenario
        let worlds: [Int: Int]
        let depth: Int
        let fullDepth: Int

        var testDescription: String { "\(scenario.name), \(Rounds.areFull ? fullDepth : depth) steps" }
    }

    static let searches = [
        Search(scenario: .init(name: "one setting"), worlds: [3: 932, 5: 31_658], depth: 3, fullDepth: 5),
        Search(scenario: .init(name: "two settings", keys: 2), worlds: [3: 1_971, 4: 16_515], depth: 3, fullDepth: 4),
        Search(
            scenario: .init(name: "a copied state", clones: true), worlds: [3: 1_130, 5: 41_615], depth: 3, fullDepth: 5
        ),
        Search(
            scenario: .init(name: "a device that is thrown away", throwsAway: true), worlds: [3: 1_020, 5: 34_103],
            depth: 3,
            fullDepth: 5),
        Search(
            scenario: .init(name: "a clock that stays ahead", lastingError: 100 * Device.day),
            worlds: [3: 518, 5: 13_558],
            depth: 3, fullDepth: 5),
        Search(
            scenario: .init(name: "a clock that stays behind", lastingError: -50 * Device.day),
            worlds: [3: 513, 5: 12_924],
            depth: 3, fullDepth: 5),
        Search(
            scenario: .init(name: "removals that are forgotten", replicas: 2, forgets: true),
            worlds: [3: 1_452, 5: 95_608],
            depth: 3, fullDepth: 5),
        Search(
            scenario: .init(name: "a removal that one of three has not received", forgets: true, beginning: unheard),
            worlds: [2: 601, 3: 9_617], depth: 2, fullDepth: 3),
        Search(
            scenario: .init(name: "files with one epoch at most", keys: 2, epochs: 1, beginning: ahead),
            worlds: [2: 277, 4: 24_939], depth: 2, fullDepth: 4),
        Search(
            scenario: .init(name: "files with two epochs at most", keys: 2, epochs: 2, beginning: ahead),
            worlds: [2: 277, 4: 24_939], depth: 2, fullDepth: 4),
        Search(
            scenario: .init(name: "files that list two replicas at most", forgets: true, heard: 2, beginning: unheard),
            worlds: [2: 601, 3: 9_617], depth: 2, fullDepth: 3),
        Search(
            scenario: .init(name: "a forged file", replicas: 2, forgets: true, forges: true),
            worlds: [2: 200, 4: 15_681],
            depth: 2, fullDepth: 4),
    ]

    @Test(
        "In every world that some steps lead to, all replicas agree in the end, and no change loses against one that its writer had seen",
        arguments: searches)
    func allReplicasAgreeIn(
        search: Search
    ) async {
        let depth = Rounds.choose(search.depth, full: search.fullDepth)
        let found = await CompleteSearch(search.scenario, depth: depth)
        print("\(search.scenario.name): \(found.count) worlds at most \(depth) steps away")
        #expect(found.fault == nil, "\(String(describing: found.fault))")
        if let worlds = search.worlds[depth] { #expect(found.count == worlds) }
    }
}

@Suite("The search of all worlds", .ownThreads)
struct TheSearchOfAllWorldsTests {
    /// The rule, the scenario that shows what is wrong with it, and after how many steps. The last takes the longest.
    static let mutants: [(ModelReplica.Mutant, ModelWorld.Scenario, depth: Int)] = [
        (.vouchesForNothing, .init(name: "one setting"), 4),
        (.vouchesForOwnEntriesOnly, .init(name: "a clock that stays ahead", lastingError: 100 * Device.day), 3),
        (.beginsNoEpoch, .init(name: "one setting"), 4),
        (.forgetsWhatOthersHaveNotHeard, .init(name: "removals", forgets: true, beginning: unheard), 2),
        (.hearsIncompleteFiles, .init(name: "removals", replicas: 2, forgets: true), 2),
        (.hearsWhatItHoldsBack, .init(name: "removals", replicas: 2, forgets: true), 3),
        (.keepsWhatOthersSay, .init(name: "a forged file", replicas: 2, forgets: true, forges: true), 1),
        (.dropsEpochs, .init(name: "files with one epoch at most", keys: 2, epochs: 1, beginning: ahead), 1),
        (.forgetsInAnEmptyDirectory, .init(name: "removals", replicas: 2, forgets: true), 5),
    ]

    @Test(
        "The search of all worlds finds what is wrong with a rule that is broken on purpose",
        arguments: mutants.prefix(Rounds.choose(8, full: mutants.count)))
    func findsWhatIsWrong(
        mutant: ModelReplica.Mutant, scenario: ModelWorld.Scenario, depth: Int
    ) async {
        var scenario = scenario
        scenario.mutant = mutant
        let search = await CompleteSearch(scenario, depth: depth)
        #expect(search.fault != nil, "not found in \(search.count) worlds")
    }
}
