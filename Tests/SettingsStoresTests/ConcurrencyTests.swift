import Foundation
import SettingsKitCore
import Testing

@Suite("Many threads and stores use the same files (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct ConcurrencyTests {
    private static let counter = Setting<Int>("counter", in: .defaults, default: 0)

    /// Each open store reads what all others have written: under the thread sanitizer, few are enough, and many take minutes.
    private static var openings: Int {
        #if SETTINGSKIT_THREAD_SANITIZER
            4
        #else
            25
        #endif
    }

    @Test(
        "Counting together loses nothing, and every listener hears an unbroken chain of changes that ends on the total",
        arguments: StoreKind.allCases, [1, 3])
    func counting(kind: StoreKind, storeCount: Int) async throws {
        try await kind.withMedium { medium in
            let services = try (0..<storeCount).map { _ in SettingsService.over(try medium.independent()) }
            let (threads, rounds) = (2, 150)
            let total = storeCount * threads * rounds
            let logs = services.map { _ in Recorder<(old: Int, new: Int)>() }
            let subscriptions = zip(services, logs).map { service, log in
                service.service.observe(Self.counter) { log.append(($0.oldValue, $0.newValue)) }
            }
            inParallel(storeCount * threads) { thread in
                let service = services[thread % storeCount].service
                let own = Setting<Int>("own \(thread)", in: .defaults, default: 0)
                for round in 0..<rounds {
                    service.update(Self.counter) { $0 += 1 }
                    // Unlike `set`, which keeps a value in memory after half a second, they wait for the others.
                    #expect(throws: Never.self) { try service.save(own, to: round) }
                    #expect(service.get(own) == round)
                    if round % 10 == 0 { #expect(throws: Never.self) { try service.save { $0.reset(own) } } }
                    if round % 50 == 0 { #expect(throws: Never.self) { try service.synchronize() } }
                }
            }
            for ((service, problems), log) in zip(services, logs) {
                #expect(try await eventually { service.get(Self.counter) == total && log.all.last?.new == total })
                #expect(zip(log.all, log.all.dropFirst()).allSatisfy { $0.new == $1.old })
                #expect(problems.all.isEmpty)
            }
            try services[0].service.synchronize()
            #expect(try medium.elsewhere().number("counter") == total)
            for subscription in subscriptions { subscription.cancel() }
        }
    }

    @Test(
        "Stores that many threads open and let go of at once share the files without a fault",
        arguments: StoreKind.allCases)
    func opening(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let failures = Recorder<String>()
            inParallel(4) { thread in
                for round in 0..<Self.openings {
                    do {
                        // In turn the one that all share, and one with a memory of its own.
                        let store = try round % 2 == 0 ? medium.open(patience: .seconds(60)) : medium.independent()
                        let entry = SettingsStoreBatch.Entry(key: key("\(thread) \(round)"), data: Data("1".utf8))
                        _ = try store.apply(SettingsStoreBatch(writes: [entry]))
                    } catch {
                        failures.append("\(error)")
                    }
                }
            }
            #expect(failures.all.isEmpty, "\(failures.all)")
            #expect(try medium.fresh().keys().count == 4 * Self.openings)
            try medium.check()
        }
    }
}
