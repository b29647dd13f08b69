import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("Without the cluster", .timeLimit(.minutes(5)))
    struct OutageTests {
        private let count = Setting<Int>("count", in: .fleet, default: 0)

        @Test("A program that cannot reach the cluster starts with its last known settings, says so, and catches up")
        func offlineStart() async throws {
            try await Fleet.with { fleet in
                let first = try fleet.store()
                let step = SettingsService.Migration.version("1") { [count] in $0.set(count, to: 5) }
                try SettingsService.fleet(first).migrate([step], in: .fleet)
                first.close()
                fleet.server.kill(0)
                let problems = Recorder<SettingsError>()
                let store = try fleet.store()
                let settings = SettingsService.fleet(store, problems)
                #expect(settings.get(count) == 5 && !store.isConnected)
                // Nothing is left to do.
                #expect(try settings.migrate([step], in: .fleet).appliedVersions.isEmpty)
                settings.set(count, to: 6)
                #expect(settings.get(count) == 5)
                #expect(problems.codes.filter { $0 == .clusterUnreachable }.count == 2, "of opening and of set")
                try fleet.server.start(0)
                try await until { problems.codes.contains(.recovered) }
                #expect(store.isConnected)
                try store.synchronize()
                #expect(try fleet.server.control("get", "test/count", "--print-value-only") == "5\n")
            }
        }

        @Test(
            "A file of last known values that is damaged, or belongs to other addresses, is not used, and is reported",
            arguments: ["[", "{}", nil])
        func unusableFile(text: String?) async throws {
            try await Fleet.with { fleet in
                let first = try fleet.store()
                try first.save("a", "1")
                first.close()
                let name = try #require(
                    try FileManager.default.contentsOfDirectory(atPath: fleet.stateFolder.path).first)
                let file = fleet.stateFolder.appendingPathComponent(name)
                if let text { try Data(text.utf8).write(to: file) }
                let problems = Recorder<SettingsError>()
                let store = try fleet.store(endpoints: ["http://127.0.0.1:1"]) { $0.openingPatience = .milliseconds(1) }
                let settings = SettingsService.fleet(store, problems)
                #expect(store.keys().isEmpty && problems.codes.contains(.damaged))
                #expect(problems.all.contains { $0.store?.hasSuffix(name) == true })
                store.close()
                if text == nil {
                    let again = try fleet.store(endpoints: ["http://127.0.0.1:1"] + fleet.server.endpoints)
                    #expect(again.text("a") == "1")
                }
                withExtendedLifetime(settings) {}
            }
        }

        @Test("When the network goes, writes fail in time, the next set fails at once, and nothing is sent later")
        func goneLater() async throws {
            try await Fleet.withProxy({ $0.patience = .seconds(1) }) { fleet, proxy, store in
                let problems = Recorder<SettingsError>()
                let settings = SettingsService.fleet(store, problems)
                try settings.save(count, to: 1)
                for isSilent in [true, false] {
                    proxy.setFaults(.init(isStopped: isSilent, isRefusing: !isSilent))
                    if !isSilent { proxy.cutAll() }
                    let start = Date()
                    #expect(throws: SettingsError.self) { try settings.save(count, to: 2) }
                    #expect(Date().timeIntervalSince(start) < 4)
                    #expect(settings.get(count) == 1)
                    let second = Date()
                    for number in 10..<30 {
                        settings.set(Setting<Int>("n\(number)", in: .fleet, default: 0), to: number)
                    }
                    #expect(Date().timeIntervalSince(second) < 1)
                    #expect(problems.codes.filter { $0 == .clusterUnreachable }.count >= 20)
                    // All others wait, although nothing was reached.
                    let third = Date()
                    #expect(thrownCode { try settings.save(count, to: 3) } == .clusterUnreachable)
                    #expect(Date().timeIntervalSince(third) > 0.9)
                    proxy.setFaults(.init())
                    try await until { store.isConnected && thrownCode { try store.synchronize() } == nil }
                    #expect(!store.keys().contains { $0.hasPrefix("n") })
                    settings.set(count, to: 1)
                    #expect(try fleet.server.control("get", "test/count", "--print-value-only") == "1\n")
                }
            }
        }

        @Test("After an unknown outcome the old value stays, and setting it again replaces the other one")
        func setBack() async throws {
            try await Fleet.withProxy({ $0.patience = .seconds(1) }) { fleet, proxy, store in
                try store.save("a", "1")
                // The answer to the write is lost, the member cannot be asked until save has given up, and the watch tells nothing.
                let hasGivenUp = DispatchSemaphore(value: 0)
                proxy.setFaults(.init(holdsWatches: true))
                proxy.setNextFault(.init(dies: 1) { hasGivenUp.wait() })
                #expect(thrownCode { try store.save("a", "2") } == .outcomeUnknown)
                #expect(store.text("a") == "1")
                proxy.setFaults(.init())
                hasGivenUp.signal()
                try await until { store.isConnected && store.text("a") == "2" }
                #expect(try fleet.server.control("get", "test/a", "--print-value-only") == "2\n")
                try store.put("a", "1")
                #expect(try fleet.server.control("get", "test/a", "--print-value-only") == "1\n")
            }
        }

        @Test("Without a quorum, save throws in time, and the store is up to date again when the quorum is back")
        func quorum() async throws {
            try await Fleet.with(3) { fleet in
                let store = try fleet.store { $0.patience = .seconds(2) }
                try store.save("a", "1")
                for index in 1...2 { fleet.server.kill(index) }
                let start = Date()
                #expect(throws: SettingsError.self) { try store.save("a", "2") }
                #expect(Date().timeIntervalSince(start) < 6)
                #expect(store.text("a") == "1")
                for index in 1...2 { try fleet.server.start(index) }
                try await until { thrownCode { try store.save("a", "3") } == nil }
                #expect(store.text("a") == "3")
            }
        }
    }
}
