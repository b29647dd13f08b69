import Foundation
import SettingsKitCore
import Testing

@Suite("Threads, stores and processes share files", .timeLimit(Rounds.timeLimit), .ownThreads)
struct SharingTests {
    private static let counter = Setting<Int>("counter", in: .defaults, default: 0)

    @Test(
        "Counting together loses nothing, and every listener hears an unbroken chain of changes that ends on the total",
        arguments: StoreKind.allCases)
    func threads(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let services = try (0..<3).map { _ in
                SettingsService.over(try medium.fresh(isWatching: true, patience: .seconds(60)))
            }
            let logs = services.map { _ in Recorder<SettingsService.Change<Int>>() }
            let subscriptions = zip(services, logs).map { service, log in
                service.service.observe(Self.counter) { log.append($0) }
            }
            inParallel(6) { thread in
                let service = services[thread % 3].service
                let own = Setting<Int>("own \(thread)", in: .defaults, default: 0)
                for round in 0..<150 {
                    // Unlike `set`, these wait for the others as long as it takes.
                    #expect(throws: Never.self) {
                        try service.save { $0.update(Self.counter) { $0 += 1 } }
                        try service.save(own, to: round)
                    }
                    #expect(service.get(own) == round)
                    if round % 50 == 0 { #expect(throws: Never.self) { try service.synchronize() } }
                }
            }
            for ((service, problems), log) in zip(services, logs) {
                #expect(try await eventually { service.get(Self.counter) == 900 && log.all.last?.newValue == 900 })
                #expect(zip(log.all, log.all.dropFirst()).allSatisfy { $0.newValue == $1.oldValue })
                #expect(problems.all.isEmpty)
            }
            try services[0].service.synchronize()
            #expect(try medium.elsewhere().number("counter") == 900)
            withExtendedLifetime(subscriptions) {}
        }
    }

    /// Each open store reads what all others have written: under the thread sanitizer, few are enough, and many take minutes.
    private static var openings: Int {
        #if SETTINGSKIT_THREAD_SANITIZER
            4
        #else
            25
        #endif
    }

    @Test("Stores that many threads open and release at once share the files", arguments: StoreKind.allCases)
    func opening(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            inParallel(4) { thread in
                for round in 0..<Self.openings {
                    #expect(throws: Never.self) {
                        // In turn the one that all share, and one with a memory of its own.
                        let store =
                            try round % 2 == 0
                            ? medium.open(patience: .seconds(60))
                            : medium.fresh(isWatching: true, patience: .seconds(60))
                        let entry = SettingsStoreBatch.Entry(key: key("\(thread) \(round)"), data: Data("1".utf8))
                        _ = try store.apply(SettingsStoreBatch(writes: [entry]))
                    }
                }
            }
            #expect(try medium.fresh().keys().count == 4 * Self.openings)
            try medium.check()
        }
    }

    @Test(
        "Processes that update one counter and set keys of their own lose nothing, and a listener ends on the total",
        arguments: StoreKind.allCases)
    func processes(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let (service, problems) = SettingsService.over(try medium.open(patience: .seconds(60)))
            let changes = service.changes(of: Self.counter)
            let count = Rounds.choose(1_000, full: 10_000)
            let workers =
                try (0..<2).map { _ in try Worker("count", medium.path, "\(count)") }
                + (0..<2).map { try Worker("fill", medium.path, "worker \($0)", "\(count)") }
            for _ in 0..<count { try service.save { $0.update(Self.counter) { $0 += 1 } } }
            var last = 0
            for await change in changes {
                #expect(change.oldValue == last)
                last = change.newValue
                if last == 3 * count { break }
            }
            for worker in workers { #expect(await worker.status() == 0) }
            try service.synchronize()
            var expected = ["counter": "\(3 * count)"]
            for worker in 0..<2 { for number in 0..<count { expected["worker \(worker) \(number)"] = "\(number)" } }
            for store in [try medium.fresh(), try medium.elsewhere()] { #expect(try store.texts == expected) }
            try medium.check()
            #expect(problems.all.isEmpty)
        }
    }

    @Test(
        "A change by another process is noticed without a request, whether the process exits or dies",
        arguments: StoreKind.allCases, ["set", "set-and-die"])
    func noticed(kind: StoreKind, command: String) async throws {
        try await kind.withMedium { medium in
            let (service, problems) = SettingsService.over(try medium.open())
            service.set(Self.counter, to: 1)
            try service.synchronize()
            let changes = service.changes(of: Self.counter)
            await (try Worker(command, medium.path, "counter", "5")).status()
            for await change in changes {
                #expect(change.oldValue == 1 && change.newValue == 5 && change.origin == .external)
                break
            }
            #expect(service.get(Self.counter) == 5)
            #expect(problems.all.isEmpty)
        }
    }
}
