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

    @Test("A write from a task that the store has begun waits its turn like any other")
    func storeBeginsTask() async {
        let kick = Setting<Int>("kick", in: .defaults, default: 0)
        let slow = Setting<Int>("slow", in: .defaults, default: 0)
        let late = Setting<Int>("late", in: .defaults, default: 0)
        let service = Box<SettingsService?>(nil)
        let task = Box<Task<Void, Never>?>(nil)
        let overtook = Box(false)
        let (slowBegan, begin) = AsyncStream<Void>.makeStream()
        let lateBegan = DispatchSemaphore(value: 0)
        let store = TwoFunctionStore(willSet: { key, _ in
            switch key.name {
            case "kick":
                task.value = Task {
                    for await _ in slowBegan { break }
                    service.value?.set(late, to: 1)
                }
            case "slow":
                begin.yield()
                // A store that works as it should makes `late` wait for `slow`, so this can only time out.
                overtook.value = lateBegan.wait(timeout: .now() + 0.5) == .success
            default: lateBegan.signal()
            }
        })
        let settings = SettingsService.over(store)
        service.value = settings
        settings.set(kick, to: 1)
        settings.set(slow, to: 1)
        await task.value?.value
        service.value = nil
        #expect(!overtook.value)
        #expect(settings.get(late) == 1)
    }

    @Test("A store that sets another setting from inside a write does not block itself")
    func reentrantStore() {
        let service = Box<SettingsService?>(nil)
        let echo = Setting<Int>("echo", in: .defaults, default: 0)
        let store = TwoFunctionStore(willSet: { key, _ in
            if key.name == "number" { service.value?.set(echo, to: 1) }
        })
        let settings = SettingsService.over(store)
        service.value = settings
        settings.set(number, to: 5)
        service.value = nil
        #expect(settings.get(number) == 5)
        #expect(settings.get(echo) == 1)
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
