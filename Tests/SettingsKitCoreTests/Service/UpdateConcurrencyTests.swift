import Foundation
import SettingsKitCore
import Testing

@Suite("Atomic changes (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct UpdateConcurrencyTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)

    @Test(
        "8 threads of updates lose none, through one service or several",
        arguments: [StoreKind.memory, .cache, .twoFunctions], [(1, Rounds.choose(500, full: 2_000)), (3, 200)])
    func updates(kind: StoreKind, load: (serviceCount: Int, rounds: Int)) {
        let (serviceCount, rounds) = load
        let store = kind.make()
        let services = (0..<serviceCount).map { _ in SettingsService.over(store) }
        inParallel(8) { thread in
            let service = services[thread % serviceCount]
            for _ in 0..<rounds { service.update(number) { $0 += 1 } }
        }
        for service in services { #expect(service.get(number) == 8 * rounds) }
    }

    @Test("Money moved between two settings is neither made nor lost", arguments: StoreKind.allCases)
    func transfers(kind: StoreKind) {
        let (left, right) = (number, Setting<Int>("right", in: .defaults, default: 0))
        let marker = Setting<Int>("marker", in: .defaults, default: 0)
        let store = kind.make()
        let services = [SettingsService.over(store), SettingsService.over(store)]
        services[0].set(left, to: 1_000)
        inParallel(4) { thread in
            let service = services[thread % 2]
            for round in 0..<200 {
                if round % 5 == 0 {
                    let sum = service.transaction { t -> Int in
                        if round % 10 == 0 { t.set(marker, to: round) }
                        return t[left] + t[right]
                    }
                    #expect(sum == 1_000)
                } else {
                    service.transaction { t in
                        t[left] -= thread + 1
                        t[right] += thread + 1
                    }
                }
            }
        }
        #expect(services[0].get(left) + services[1].get(right) == 1_000)
    }

    @Test("A store of two functions that is written from inside its own write ends the process with a sentence")
    func reentrantStore() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let service = Box<SettingsService?>(nil)
            let number = SettingsService.Setting<Int>("number", in: .defaults, default: 0)
            let echo = SettingsService.Setting<Int>("echo", in: .defaults, default: 0)
            service.value = SettingsService.over(
                TwoFunctionStore(willSet: { key, _ in if key.name == "number" { service.value?.set(echo, to: 1) } }))
            service.value?.set(number, to: 5)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("TwoFunctionStore is written while it writes."))
    }

    @Test("Services on one store without a feed may come and go on many threads")
    func hubLifetimes() {
        for _ in 0..<20 {
            let store = TwoFunctionStore()
            inParallel(4) { _ in
                for _ in 0..<500 { _ = SettingsService.over(store) }
            }
        }
    }
}
