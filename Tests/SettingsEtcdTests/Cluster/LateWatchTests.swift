import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithSlowEtcd {
    @Suite("While the watch is late", .timeLimit(.minutes(5)))
    struct LateWatchTests {
        private let count = Setting<Int>("count", in: .fleet, default: 0)
        private let other = Setting<Int>("other", in: .fleet, default: 0)

        /// Calls `body` with a service that knows `count` as 5 and `other` as 1, while the cluster has 3 and 7.
        private func withLateWatch(
            _ access: SettingsStoreAccess = .readWrite,
            _ body: (Fleet, FaultyProxy, SettingsService) async throws -> Void
        ) async throws {
            try await Fleet.withProxy({ $0.access = access }) { fleet, proxy, store in
                for (name, value) in [("count", "5"), ("other", "1")] {
                    try fleet.server.control("put", "test/\(name)", value)
                    try await until { store.text(name) == value }
                }
                proxy.setFaults(.init(holdsWatches: true))
                try fleet.server.control("put", "test/count", "3")
                try fleet.server.control("put", "test/other", "7")
                let settings = SettingsService.fleet(store)
                #expect(settings.get(count) == 5)
                try await body(fleet, proxy, settings)
            }
        }

        @Test(
            "A transaction that only reads returns what the cluster holds, and throws without the cluster",
            arguments: [SettingsStoreAccess.readWrite, .readOnly])
        func reading(access: SettingsStoreAccess) async throws {
            try await withLateWatch(access) { _, proxy, settings in
                let both = try settings.save { [count, other] in [$0.get(count), $0.get(other)] }
                // What it has learned stays known.
                #expect(both == [3, 7] && settings.get(count) == 3 && settings.get(other) == 7)
                proxy.setFaults(.init(isRefusing: true))
                proxy.cutAll()
                #expect(thrownCode { try settings.save { $0.get(count) } } == .clusterUnreachable)
            }
        }

        @Test("A decision to write nothing, and an error of the closure, are made by what the cluster holds")
        func deciding() async throws {
            try await withLateWatch { fleet, _, settings in
                try settings.save { if $0.get(count) < 4 { $0.set(count, to: 4) } }
                #expect(try fleet.server.control("get", "test/count", "--print-value-only") == "4\n")
                struct TooFew: Error {}
                try settings.save { if $0.get(other) < 2 { throw TooFew() } }
            }
        }

        @Test("A record, and a setting with hooks, that are saved with the values that are known replace newer ones")
        func equalValues() async throws {
            enum Hooked: SettingsNamespace {
                static let id = "hooked"
                static func preCommitHook() {}
            }
            struct Limits: SettingsRecord {
                var most = 0
                static let empty = Limits()
            }
            try await Fleet.withProxy { fleet, proxy, store in
                let settings = SettingsService.fleet(store)
                let hooked = Setting<Int>("a", in: .fleet, namespace: Hooked.self, default: 0)
                let limits = try SettingsStorage<Limits>(name: "limits", in: store)
                try settings.save(hooked, to: 1)
                try limits.save(Limits(most: 1))
                let names = store.keys().sorted()
                proxy.setFaults(.init(holdsWatches: true))
                for name in names { try fleet.server.control("put", "test/\(name)", "2") }
                try settings.save(hooked, to: 1)
                try limits.save(Limits(most: 1))
                for name in names {
                    #expect(try fleet.server.control("get", "test/\(name)", "--print-value-only") == "1\n", "\(name)")
                }
            }
        }
    }
}
