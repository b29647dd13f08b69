import Foundation
import SettingsKitCore
import SettingsTestKit
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("A store on a cluster", .timeLimit(.minutes(5)))
    struct StoreTests {
        private let count = Setting<Int>("count", in: .fleet, default: 0)

        @Test(
            "It conforms to the contract of stores, also when the cluster cannot be reached, and a writing process is killed"
        )
        func conformance() async throws {
            try await Fleet.with { fleet in
                let proxy = try FaultyProxy(to: fleet.server.ports[0])
                defer { proxy.close() }
                let number = Box(0)
                @Sendable func prefix(of store: any SettingsStore) throws -> String {
                    String(decoding: try #require((store as? EtcdStore)?.cluster.range.prefix), as: UTF8.self)
                }
                @Sendable func store(_ prefix: String) throws -> EtcdStore {
                    try fleet.store(prefix, endpoints: [proxy.endpoint]) { $0.patience = .seconds(2) }
                }
                let report = await StoreConformance { old in
                    try store(prefix(of: old))
                } unwritable: { _ in
                    proxy.setFaults(.init(isRefusing: true))
                    proxy.cutAll()
                    return { proxy.setFaults(.init()) }
                } killed: { store in
                    try await StoreConformance.runAndKill(
                        Worker.path(),
                        [
                            "fleet-conformance", fleet.stateFolder.path, fleet.server.endpoints.joined(separator: ","),
                            prefix(of: store),
                        ])
                } _: {
                    number.value += 1
                    return try store("conformance\(number.value)/")
                }
                .run()
                #expect(report.failures.isEmpty, "\(report)")
                // A store reads its last known values, so there is no unreadable one.
                let skipped = Set(report.skipped.map(\.rule.id))
                #expect(skipped == ["unreadable.throws", "unreadable.reopened", "unreadable.kept"], "\(report)")
            }
        }

        @Test("Etcd's own tools read and write the values, and a store that only reads follows and tells its listeners")
        func tools() async throws {
            try await Fleet.with { fleet in
                let (store, reader) = (try fleet.store(), try fleet.store { $0.access = .readOnly })
                let seen = Recorder<String>()
                let subscription = SettingsService.fleet(reader).observe(count) {
                    seen.append("\($0.newValue) \($0.origin)")
                }
                try store.save("count", "5")
                #expect(try fleet.server.control("get", "test/count", "--print-value-only") == "5\n")
                try await until { seen.all == ["5 external"] }
                try fleet.server.control("put", "test/count", "7")
                try await until { store.text("count") == "7" && seen.all == ["5 external", "7 external"] }
                #expect(thrownCode { try reader.put("count", "2") } == .readOnly)
                #expect(thrownCode { try reader.save("count", "2") } == .readOnly)
                try fleet.server.control("put", "other/count", "1")
                try fleet.server.control("del", "test/count")
                try await until { store.text("count") == nil }
                #expect(store.keys().isEmpty)
                subscription.cancel()
            }
        }

        @Test("A batch of 127 settings is one transaction, and what is larger than etcd takes is refused in words")
        func operations() async throws {
            try await Fleet.with { fleet in
                let store = try fleet.store { $0.patience = .seconds(60) }
                func batch(_ count: Int) -> SettingsStoreBatch {
                    SettingsStoreBatch(writes: (0..<count).map { .init(key: fleetKey("k\($0)"), data: Data("1".utf8)) })
                }
                #expect(try store.apply(batch(127)))
                let error = #expect(throws: SettingsError.self) { try store.apply(batch(128)) }
                #expect(error?.code == .tooLarge && error.map { "\($0)".contains("127") } == true)
                func large(_ count: Int) -> Data { Data(repeating: UInt8(ascii: "1"), count: count) }
                #expect(thrownCode { try store.set(fleetKey("large"), to: large(1_600_000)) } == .tooLarge)
                try store.set(fleetKey("large"), to: large(1_400_000))
                let other = try fleet.store { ($0.patience, $0.openingPatience) = (.seconds(60), .seconds(60)) }
                #expect(other.get(fleetKey("large")) == large(1_400_000) && other.keys().count == 128)
                try other.removeAll()
                try store.synchronize()
                #expect(other.keys().isEmpty && store.keys().isEmpty)
            }
        }

        @Test("A prefix larger than a page is read whole, and so are names of every kind")
        func pages() async throws {
            try await Fleet.with { fleet in
                let store = try fleet.store()
                for start in stride(from: 0, to: 4_500, by: 100) {
                    _ = try store.apply(
                        SettingsStoreBatch(
                            writes: (start..<(start + 100)).map {
                                .init(key: fleetKey("k\($0)"), data: Data("\($0)".utf8))
                            }))
                }
                let names = [
                    "a b", "a\u{308}b", "日本", "x\ny", "\"q\"", String(repeating: "n", count: 4096), "\u{10FFFF}",
                ]
                for name in names { try store.save(name, "1") }
                let other = try fleet.store()
                #expect(other.keys().count == 4_500 + names.count)
                for name in names { #expect(other.text(name) == "1", "\(name.count)") }
                #expect(other.text("k4499") == "4499")
            }
        }

        @Test("A compacted revision leads to a fresh read, with changes only for names that differ")
        func compaction() async throws {
            try await Fleet.withProxy { fleet, proxy, store in
                for name in ["a", "b", "c"] { try store.save(name, "1") }
                let changes = Recorder<String>()
                let subscription = try #require(store.feed).observe { list, _ in
                    for change in list { changes.append(change.name) }
                }
                proxy.setFaults(.init(isRefusing: true))
                proxy.cutAll()
                for number in 0..<20 { try fleet.server.control("put", "test/b", "\(number)") }
                try fleet.server.control("del", "test/c")
                try fleet.server.control("compact", fleet.server.revision(of: "test/b"))
                proxy.setFaults(.init())
                try await until { store.text("b") == "19" && store.text("c") == nil }
                #expect(Set(changes.all) == ["b", "c"] && changes.count == 2)
                #expect(store.text("a") == "1")
                subscription.cancel()
            }
        }
    }
}
