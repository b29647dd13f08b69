import Foundation
import SettingsKitCore
import Testing

@Suite("Replacing a store under way (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct RegisterConcurrencyTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)

    @Test("Stores are replaced while others read, write and listen", arguments: StoreKind.allCases)
    func replaceUnderWay(kind: StoreKind) {
        let stores = [kind.make(), kind.make()]
        let settings = SettingsService.over(stores[0])
        let subscription = settings.observe(number) { _ in }
        inParallel(4) { thread in
            for round in 0..<300 {
                switch thread {
                case 0: settings.register(stores[round % 2], for: .defaults)
                case 1: settings.set(number, to: round)
                case 2: settings.update(number) { $0 += 1 }
                default: _ = settings.get(number)
                }
            }
        }
        settings.register(stores[0], for: .defaults)
        settings.set(number, to: -1)
        #expect(settings.get(number) == -1)
        subscription.cancel()
    }

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

    @Test("A listener ends on what is stored, also if the same store is registered again meanwhile")
    func sameStoreUnderWay() {
        for _ in 0..<100 {
            let store = MemoryStore()
            let settings = SettingsService.over(store)
            let told = Recorder<Int>()
            let subscription = settings.observe(number) { told.append($0.newValue) }
            inParallel(2) { thread in
                for round in 1...50 {
                    if thread == 0 { settings.register(store, for: .defaults) } else { settings.set(number, to: round) }
                }
            }
            #expect(told.all.last == 50)
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
            settings.observe(number) { log.append([$0.oldValue, $0.newValue]) },
            settings.observe(in: .defaults) { group.append($0.keys.count) },
        ]
        inParallel(4) { thread in
            for round in 1...300 {
                switch thread {
                case 0: settings.register(stores[round % 2], for: .defaults)
                case 1: settings.set(number, to: round)
                default: others[thread - 2].set(number, to: thread * 1_000 + round)
                }
            }
        }
        settings.register(stores[0], for: .defaults)
        others[0].set(number, to: -1)
        try await until { log.all.last?.last == -1 }
        #expect(settings.get(number) == -1)
        for (one, next) in zip(log.all, log.all.dropFirst()) where one[1] != next[0] {
            Issue.record("after \(one) came \(next)")
        }
        #expect(log.all.allSatisfy { $0[0] != $0[1] })
        #expect(group.count > 0)
        for subscription in subscriptions { subscription.cancel() }
    }
}
