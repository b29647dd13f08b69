import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

/// Stores that share nothing in memory, as in several processes, used by several threads each.
@Suite("Several stores and threads use one file (concurrency)", .timeLimit(.minutes(2)), .ownThreads)
struct SharingConcurrencyTests {
    private static let counter = Setting<Int>("counter", in: .defaults, default: 0)

    @Test("Concurrent counting loses nothing, and every listener ends on the total", arguments: [1, 3])
    func counting(storeCount: Int) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let services = try (0..<storeCount).map { _ in
                SettingsService.over(
                    try PropertyListStore(
                        path: path, fileSystem: POSIXFileSystem(), isWatching: true, writingDelay: .milliseconds(5),
                        lag: .zero)
                ).service
            }
            let (threads, rounds) = (2, 200)
            let total = storeCount * threads * rounds
            let logs = services.map { _ in Recorder<Int>() }
            let subscriptions = zip(services, logs).map { service, log in
                service.observe(Self.counter) { log.append($0.newValue) }
            }
            await withCheckedContinuation { continuation in
                let left = Mutex(storeCount * threads)
                for service in services {
                    for thread in 0..<threads {
                        Thread.detachNewThread {
                            for round in 0..<rounds {
                                service.update(Self.counter) { $0 += 1 }
                                service.set(Setting<Int>("own \(thread)", in: .defaults, default: 0), to: round)
                                _ = service.get(Self.counter)
                                if round % 50 == 0 { #expect(throws: Never.self) { try service.synchronize() } }
                            }
                            let isLast = left.withLock { left in
                                left -= 1
                                return left == 0
                            }
                            if isLast { continuation.resume() }
                        }
                    }
                }
            }
            for (service, log) in zip(services, logs) {
                #expect(try await eventually { service.get(Self.counter) == total && log.all.last == total })
            }
            try services[0].synchronize()
            #expect(try members(of: path)["counter"] == .integer(Int64(total)))
            for subscription in subscriptions { subscription.cancel() }
        }
    }
}
