import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    /// What the threads of stores and callers do at once. `.ci/run` runs it under the thread sanitizer, too.
    @Suite("Stores on a cluster under concurrency", .timeLimit(.minutes(5)))
    struct ConcurrencyTests {
        private let count = Setting<Int>("count", in: .fleet, default: 0)

        @Test(
            "Setting, saving, reading, synchronizing and listening at once end when the store is closed in the middle")
        func closing() async throws {
            try await Fleet.with { fleet in
                let (store, other) = (try fleet.store(), try fleet.store())
                let (settings, listening) = (SettingsService.fleet(store), SettingsService.fleet(other))
                let seen = Recorder<Int>()
                let hasSeenFive = DispatchSemaphore(value: 0)
                let subscription = listening.observe(count) {
                    seen.append($0.newValue)
                    if seen.count == 5 { hasSeenFive.signal() }
                }
                let codes = Recorder<SettingsError.Code>()
                inParallel(6) { index in
                    if index == 5 {
                        hasSeenFive.wait()
                        return store.close()
                    }
                    var number = 0
                    while true {
                        number += 1
                        let code: SettingsError.Code? =
                            switch index {
                            case 0, 1: thrownCode { try store.put("n\(number % 50)", "\(index)\(number)") }
                            case 2: thrownCode { try settings.save(count, to: number) }
                            case 3: thrownCode { try store.synchronize() }
                            default:
                                thrownCode {
                                    _ = (settings.get(count), store.keys(), store.isConnected)
                                    // A pace, and nothing that waits: reading alone would keep a processor from the cluster.
                                    usleep(100)
                                    if store.cluster.isClosed { throw SettingsError(.storeClosed, store: "") }
                                }
                            }
                        guard let code else { continue }
                        codes.append(code)
                        return
                    }
                }
                // A write under way when the store is closed may have been made.
                #expect(
                    codes.all.allSatisfy {
                        [.storeClosed, .outcomeUnknown, .clusterUnreachable].contains($0)
                    })
                #expect(codes.count == 5 && seen.all == seen.all.sorted())
                subscription.cancel()
            }
        }
    }
}
