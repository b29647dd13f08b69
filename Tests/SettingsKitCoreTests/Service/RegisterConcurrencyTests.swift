import Foundation
import SettingsKitCore
import Testing

@Suite("Replacing a store under way (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct RegisterConcurrencyTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)

    @Test("After concurrent registrations of one store, a change is delivered once")
    func registeredTwice() {
        let store = MemoryStore()
        let settings = SettingsService.over(store)
        for round in 1...300 {
            inParallel(3) { _ in settings.register(store, for: .defaults) }
            let told = Recorder<Int>()
            let subscription = settings.observe(number) { told.append($0.newValue) }
            settings.set(number, to: round)
            #expect(told.all == [round])
            subscription.cancel()
        }
    }

    @Test("Changes chain and end on the last value while the same store is registered again")
    func sameStoreUnderWay() {
        for _ in 0..<100 {
            let store = MemoryStore()
            let settings = SettingsService.over(store)
            let log = Recorder<[Int]>()
            let subscription = settings.observe(number, log.chain())
            inParallel(2) { thread in
                for round in 1...50 {
                    if thread == 0 { settings.register(store, for: .defaults) } else { settings.set(number, to: round) }
                }
            }
            log.expectChain(from: 0)
            #expect(log.all.last?.last == 50 && log.all.allSatisfy { $0[0] < $0[1] })
            subscription.cancel()
        }
    }

    @Test(
        "Changes chain and end on the stored value while stores are replaced and written", arguments: StoreKind.allCases
    )
    func chainWhileReplaced(kind: StoreKind) async throws {
        let stores = [kind.make(), kind.make()]
        let settings = SettingsService.over(stores[0])
        let others = stores.map { SettingsService.over($0) }
        let log = Recorder<[Int]>()
        let group = Recorder<Int>()
        let subscriptions = [
            settings.observe(number, log.chain()), settings.observe(in: .defaults) { group.append($0.keys.count) },
        ]
        inParallel(5) { thread in
            for round in 1...300 {
                switch thread {
                case 0: settings.register(stores[round % 2], for: .defaults)
                case 1: settings.set(number, to: round)
                case 2: settings.update(number) { $0 += 100_000 }
                default: others[thread - 3].set(number, to: thread * 1_000 + round)
                }
            }
        }
        settings.register(stores[0], for: .defaults)
        others[0].set(number, to: -1)
        try await until { log.all.last?.last == -1 }
        #expect(settings.get(number) == -1)
        // The chain of a store without a feed is broken by changes that no service has seen.
        if kind == .twoFunctions { log.expectDifferences() } else { log.expectChain(from: 0) }
        #expect(group.all.allSatisfy { $0 == 1 } && group.count > 0)
        for subscription in subscriptions { subscription.cancel() }
    }
}
