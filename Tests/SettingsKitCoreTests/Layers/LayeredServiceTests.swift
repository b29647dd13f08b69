import Foundation
import SettingsKitCore
import Testing

@Suite("A service over a layered store", .timeLimit(Rounds.timeLimit))
struct LayeredServiceTests {
    private let a = Setting<Int>("a", in: .defaults, default: 0)

    @Test(
        "Listeners are notified of each change of the value in force, and of no other",
        arguments: StoreKind.allCases, StoreKind.allCases)
    func events(upperKind: StoreKind, lowerKind: StoreKind) throws {
        for isLocking in [true, false] {
            let (upper, lower) = (upperKind.make().serialized, lowerKind.make().serialized)
            let settings = SettingsService.over(
                try LayeredStore(
                    isLocking
                        ? [.locked(upper, name: "upper"), .arguments([]), .writable(lower)]
                        : [.writable(upper), .environment(prefix: "P_", [:]), .fallback(lower, name: "lower")]))
            let (up, low): (SettingsService.Source, SettingsService.Source) =
                isLocking ? (.layer("upper"), .store) : (.store, .layer("lower"))
            let told = Recorder<String>()
            let subscription = settings.observe(a, told.listener())
            let steps: [(store: any SettingsStore, text: String?, value: Int, source: SettingsService.Source)] = [
                (lower, "1", 1, low), (upper, "2", 2, up), (lower, "3", 2, up), (upper, "4", 4, up),
                (upper, "3", 3, up), (lower, nil, 3, up), (lower, "3", 3, up), (upper, nil, 3, low),
                (upper, "5", 5, up), (lower, nil, 5, up), (upper, nil, 0, .default),
            ]
            for (store, text, value, source) in steps {
                try store.put("a", text)
                #expect(settings.get(a) == value && settings.source(of: a) == source)
            }
            #expect(told.all == ["0-1", "1-2", "2-4", "4-3", "3-5", "5-0"])
            subscription.cancel()
        }
    }

    @Test("Changes below and above text reach listeners unless the text covers them", arguments: StoreKind.allCases)
    func text(kind: StoreKind) throws {
        let (user, system) = (kind.make(), kind.make().serialized)
        let layered = try LayeredStore([
            .arguments(["--b", "7"]), .writable(user), .environment(prefix: "P_", ["P_A": "8", "P_B": "8"]),
            .fallback(system, name: "system"),
        ])
        let covered = Setting<Int>("b", in: .defaults, default: 0)
        let settings = SettingsService.over(layered)
        let told = Recorder<String>()
        let subscriptions = [a, covered].map { settings.observe($0, told.listener()) }
        #expect(thrownCode { try layered.put("b", "1") } == .locked)
        try settings.save(a, to: 1)
        try system.put("a", "2")
        try settings.remove(a)
        try system.put("b", "3")
        #expect(told.all == ["8-1", "1-8"])
        for subscription in subscriptions { subscription.cancel() }
    }
}

@Suite("A service over a layered store (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct LayeredServiceConcurrencyTests {
    @Test(
        "With eight writers on all layers, changes chain and end on the value that is read",
        arguments: StoreKind.allCases)
    func eightWriters(kind: StoreKind) async throws {
        let a = Setting<Int>("a", in: .defaults, default: 0)
        let (upper, user, lower) = (kind.make().serialized, kind.make(), kind.make().serialized)
        let layered = try LayeredStore([
            .locked(upper, name: "managed"), .writable(user), .fallback(lower, name: "system"),
        ])
        let services = [SettingsService.over(layered), SettingsService.over(layered)]
        let logs = services.map { _ in Recorder<[Int]>() }
        let subscriptions = zip(services, logs).map { service, log in
            service.observe(a, log.chain())
        }
        inParallel(8) { thread in
            for round in 1...150 {
                let number = thread * 1_000 + round
                let text = round % 5 == 0 ? nil : "\(number)"
                switch thread % 4 {
                case 0: try? upper.put("a", round % 2 == 0 ? nil : text)
                case 1: try? lower.put("a", text)
                case 2: services[thread / 4].set(a, to: number)
                default: services[thread / 4].update(a) { $0 += 1 }
                }
            }
        }
        for (service, log) in zip(services, logs) {
            try await until { log.all.last?.last == service.get(a) }
            // The chain of a store without a feed is broken by changes that no service has seen.
            if kind == .twoFunctions { log.expectDifferences() } else { log.expectChain(from: 0) }
        }
        #expect(services[0].get(a) == services[1].get(a))
        for subscription in subscriptions { subscription.cancel() }
    }
}
