import Foundation
import SettingsKitCore
import SettingsKit
import Testing

/// Writes that race with the opening of a store.
@Suite("Writes while a late store opens", .timeLimit(Rounds.timeLimit), .ownThreads)
struct RecoveryConcurrencyTests {
    private let threads = 4

    private func setting(_ number: Int) -> Setting<Int> {
        Setting<Int>("thread \(number)", in: .defaults, default: -1)
    }

    private func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            body(number)
                            continuation.resume()
                        }
                    }
                }
            }
        }
    }

    @Test("No set is lost or overtaken by an older one, and every update is made once or refused", arguments: 0..<10)
    func racing(round: Int) async throws {
        try await withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let services = [file.service(), file.service()]
            let total = Setting<Int>("total", in: .defaults, default: 0)
            let seen = (0..<threads).map { _ in Recorder<Int>() }
            let subscriptions = (0..<threads).map { number in
                services[number % 2].observe(setting(number)) { seen[number].append($0.newValue) }
            }
            let (threads, rounds) = (threads, 300)
            let made = Atomic(0)
            await inParallel(threads + 1) { number in
                if number == threads {
                    // In the middle of the others.
                    Thread.sleep(forTimeInterval: Double(round) * 0.000_3)
                    do { try file.appear(["total": 41, "thread 0": -7]) } catch { Issue.record(error) }
                    return
                }
                let (settings, own) = (services[number % 2], setting(number))
                for value in 0..<rounds {
                    settings.set(own, to: value)
                    if settings.get(own) != value { Issue.record("\(settings.get(own)) instead of \(value)") }
                    if settings.update(total, { $0 += 1 }) != nil { made.add(1, ordering: .relaxed) }
                }
            }
            try services[0].bringUpToDate()
            for number in 0..<threads {
                #expect(services[0].get(setting(number)) == rounds - 1)
                #expect(seen[number].all.last == rounds - 1)
                #expect(seen[number].all == seen[number].all.sorted())
            }
            let sum = 41 + made.load(ordering: .relaxed)
            #expect(services[1].get(total) == sum)
            let stored = try file.stored()
            #expect(stored["total"] as? Int == sum)
            #expect(stored["thread 0"] as? Int == rounds - 1)
            #expect(file.codes.filter { $0 == .recovered }.count <= 2)
            for subscription in subscriptions { subscription.cancel() }
        }
    }

    @Test("The opening comes to an end although threads never stop setting")
    func convergence() async throws {
        try await withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let settings = file.service()
            for number in 0..<2_000 { settings.set(setting(number), to: 1) }
            try file.appear(["total": 41])
            let threads = threads
            await inParallel(threads) { number in
                let deadline = Date().addingTimeInterval(120)
                var value = 0
                while file.store.unavailability != nil, Date() < deadline {
                    settings.set(setting(number), to: value)
                    value += 1
                }
                settings.set(setting(number), to: 1_000_000)
            }
            #expect(file.store.unavailability == nil)
            for number in 0..<threads { #expect(settings.get(setting(number)) == 1_000_000) }
        }
    }

    @Test("Values kept in memory are never those from before the opening")
    func noStaleValues() async throws {
        for _ in 0..<50 {
            try await withTemporaryDirectory { directory in
                let file = try LateFile(in: directory)
                let settings = file.service()
                let total = Setting<Int>("total", in: .defaults, default: 0)
                settings.set(setting(0), to: 1)
                try file.appear(["total": 41])
                await inParallel(3) { number in
                    if number == 0 {
                        do { try settings.bringUpToDate() } catch {
                            // Another thread is at it.
                        }
                        return
                    }
                    while file.store.unavailability != nil { _ = settings.get(total) }
                    if settings.get(total) != 41 { Issue.record("\(settings.get(total)) instead of 41") }
                }
            }
        }
    }
}
