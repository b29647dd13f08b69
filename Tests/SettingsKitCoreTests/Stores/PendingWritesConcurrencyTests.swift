import Testing

@testable import SettingsKitCore

@Suite("Pending writes and threads (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct PendingWritesConcurrencyTests {
    @Test("No write is lost or overtaken while others change the store and lock it, and listeners end on it")
    func threads() throws {
        for _ in 0..<20 {
            let store = LockableStore()
            let settings = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
            let numbers = (0..<3).map { Setting<Int>("s\($0)", in: .defaults, default: 0) }
            let counter = Setting<Int>("counter", in: .defaults, default: 0)
            let log = Recorder<[Int]>()
            let subscription = settings.observe(numbers[0]) { log.append([$0.oldValue, $0.newValue]) }
            let counted = Box(0)
            inParallel(5) { thread in
                for round in 1...200 {
                    switch thread {
                    case 0...2:
                        settings.set(numbers[thread], to: round)
                        // No other thread sets it.
                        if thread > 0 { #expect(settings.get(numbers[thread]) == round) }
                    case 3:
                        store.isLocked.value = round % 3 == 0
                        if round % 5 == 0 { store.changeFromOutside("s0", "\(-round)") }
                        store.runBackground()
                    default:
                        if thrownCode({ try settings.save { $0.update(counter) { $0 += 1 } } }) == nil {
                            counted.value += 1
                        }
                    }
                }
            }
            store.isLocked.value = false
            try settings.synchronize()
            #expect(settings.get(counter) == counted.value)
            #expect(store.storedText("s1") == "200" && store.storedText("s2") == "200")
            #expect(log.all.last?.last == settings.get(numbers[0]))
            #expect(zip(log.all, log.all.dropFirst()).allSatisfy { $0[1] == $1[0] })
            subscription.cancel()
        }
    }
}
