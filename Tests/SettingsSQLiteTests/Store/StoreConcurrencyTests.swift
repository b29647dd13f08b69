import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Many threads and stores use one database (concurrency)", .timeLimit(.minutes(2)), .ownThreads)
struct StoreConcurrencyTests {
    private static let counter = Setting<Int>("counter", in: .defaults, default: 0)

    /// Runs `body` on so many threads of their own, and returns when all have ended.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        await withCheckedContinuation { continuation in
            let left = Mutex(count)
            for thread in 0..<count {
                Thread.detachNewThread {
                    body(thread)
                    let isLast = left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                    if isLast { continuation.resume() }
                }
            }
        }
    }

    @Test(
        "Counting together loses nothing, every listener hears an unbroken chain of changes that ends on the total",
        arguments: [1, 3])
    func counting(storeCount: Int) async throws {
        try await withDatabase { path in
            let services = try (0..<storeCount).map { _ in
                SettingsService.over(try SQLiteStore(path: path, isWatching: true, patience: .seconds(60)))
            }
            let (threads, rounds) = (2, 150)
            let total = storeCount * threads * rounds
            let logs = services.map { _ in Recorder<(old: Int, new: Int)>() }
            let subscriptions = zip(services, logs).map { service, log in
                service.service.observe(Self.counter) { log.append(($0.oldValue, $0.newValue)) }
            }
            await onThreads(storeCount * threads) { thread in
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
            for subscription in subscriptions { subscription.cancel() }
        }
    }

    @Test("Stores that are opened and let go of by many threads at once share one database without a fault")
    func opening() async throws {
        try await withDatabase { path in
            let failures = Recorder<String>()
            await onThreads(4) { thread in
                for round in 0..<25 {
                    do {
                        // In turn the one that all share, one of its own, and another table.
                        let store =
                            switch round % 3 {
                            case 0: try openStore(path)
                            case 1: try freshStore(path)
                            default: try openStore(path, table: "other")
                            }
                        try store.set(key("\(thread) \(round)"), to: Data("1".utf8))
                    } catch {
                        failures.append("\(error)")
                    }
                }
            }
            #expect(failures.all.isEmpty, "\(failures.all)")
            let stores = (try freshStore(path), try freshStore(path, table: "other"))
            #expect(stores.0.keys().count + stores.1.keys().count == 100)
            let other = try OtherProgram(path)
            #expect(try other.text("PRAGMA integrity_check") == "ok")
        }
    }
}
