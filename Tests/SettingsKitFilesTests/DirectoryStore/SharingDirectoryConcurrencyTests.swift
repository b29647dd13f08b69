import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// Devices over one real directory, as on a network file system, used by several threads each.
@Suite("A shared directory and threads (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct SharingDirectoryConcurrencyTests {
    private func open(_ shared: String, _ state: String) throws -> DirectoryStore {
        var options = DirectoryStore.Options()
        options.pollInterval = .milliseconds(50)
        options.patience = .seconds(60)
        return try DirectoryStore(
            directory: shared, state: state, fileSystem: POSIXFileSystem(), options: options, isWatching: true)
    }

    @Test("Threads that set, read, listen and synchronize leave all devices with the same, and listeners with it, too")
    func agreement() async throws {
        try await withTemporaryDirectory { directory in
            let stores = try (0..<2).map { try open(directory + "/shared", directory + "/state\($0)") }
            let services = stores.map { SettingsService.over($0).service }
            let common = Setting<Int>("common", in: .defaults, default: -1)
            let logs = services.map { _ in Recorder<Int>() }
            let subscriptions = zip(services, logs).map { service, log in
                service.observe(common) { log.append($0.newValue) }
            }
            let (threads, rounds) = (2, 100)
            inParallel(services.count * threads) { number in
                let (device, thread) = (number / threads, number % threads)
                let service = services[device]
                let own = Setting<Int>("own \(device) \(thread)", in: .defaults, default: 0)
                for round in 0..<rounds {
                    service.set(common, to: round * 10 + device)
                    service.update(own) { $0 += 1 }
                    _ = service.get(common)
                    if round % 25 == 0 {
                        #expect(throws: Never.self) { try service.synchronize() }
                        _ = stores[device].replicas
                        _ = stores[device].report
                    }
                }
            }
            for service in services { try service.synchronize() }
            #expect(
                try await eventually(within: 60) {
                    let values = services.map { $0.get(common) }
                    return values[0] == values[1] && zip(logs, values).allSatisfy { $0.all.last == $1 }
                        && Set(stores[0].keys()) == Set(stores[1].keys())
                })
            for (device, service) in services.enumerated() {
                for thread in 0..<threads {
                    #expect(service.get(Setting<Int>("own \(device) \(thread)", in: .defaults, default: 0)) == rounds)
                }
            }
            for subscription in subscriptions { subscription.cancel() }
        }
    }
}
