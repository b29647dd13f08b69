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
                    try fleet.store(prefix, endpoints: [proxy.endpoint])
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

        @Test("Etcd's own tools read and write the values, and a store that only reads follows")
        func tools() async throws {
            try await Fleet.with { fleet in
                let (store, reader) = (try fleet.store(), try fleet.store { $0.access = .readOnly })
                try store.save("volume", "0.5")
                #expect(try fleet.server.control("get", "test/volume", "--print-value-only") == "0.5\n")
                try fleet.server.control("put", "test/volume", "0.75")
                try await until { store.text("volume") == "0.75" && reader.text("volume") == "0.75" }
                try reader.synchronize()
                #expect(thrownCode { try reader.put("volume", "2") } == .readOnly)
                #expect(thrownCode { try reader.save("volume", "2") } == .readOnly)
                try fleet.server.control("put", "other/volume", "1")
                try fleet.server.control("del", "test/volume")
                try await until { store.text("volume") == nil }
                #expect(store.keys().isEmpty)
            }
        }

        @Test("A change reaches the listeners of another store, with its origin, and in order")
        func listeners() async throws {
            try await Fleet.with { fleet in
                let (one, other) = (SettingsService.fleet(try fleet.store()), SettingsService.fleet(try fleet.store()))
                let seen = Recorder<Int>()
                let origins = Recorder<SettingsService.Origin>()
                let subscription = other.observe(count) { change in
                    seen.append(change.newValue)
                    origins.append(change.origin)
                }
                for number in 1...20 { try one.save(count, to: number) }
                try await until { origins.all.count == 20 }
                #expect(seen.all == Array(1...20))
                #expect(origins.all.allSatisfy { $0 == .external })
                try other.save(count, to: 30)
                // The watch can be faster than the answer, and then its thread calls the listener.
                try await until { origins.all.count == 21 }
                #expect(seen.all.last == 30 && origins.all.last == .local)
                subscription.cancel()
            }
        }

        @Test("A batch of 127 settings is one transaction, and a larger one is refused in words")
        func operations() async throws {
            try await Fleet.with { fleet in
                let store = try fleet.store { $0.patience = .seconds(60) }
                func batch(_ count: Int) -> SettingsStoreBatch {
                    SettingsStoreBatch(writes: (0..<count).map { .init(key: fleetKey("k\($0)"), data: Data("1".utf8)) })
                }
                #expect(try store.apply(batch(127)))
                #expect(store.keys().count == 127)
                let error = #expect(throws: SettingsError.self) { try store.apply(batch(128)) }
                #expect(error?.code == .tooLarge && error.map { "\($0)".contains("127") } == true)
                let tooLarge = Data(repeating: UInt8(ascii: "1"), count: 1_600_000)
                #expect(thrownCode { try store.set(fleetKey("large"), to: tooLarge) } == .tooLarge)
                let large = Data(repeating: UInt8(ascii: "1"), count: 1_400_000)
                try store.set(fleetKey("large"), to: large)
                try store.synchronize()
                let other = try fleet.store { ($0.patience, $0.openingPatience) = (.seconds(60), .seconds(60)) }
                #expect(other.get(fleetKey("large")) == large)
                try other.removeAll()
                #expect(other.keys().isEmpty)
                try other.synchronize()
                try store.synchronize()
                #expect(store.keys().isEmpty)
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
                    "a b", "ä", "a\u{308}b", "日本", "x\ny", "\"q\"", String(repeating: "n", count: 4096), "\u{10FFFF}",
                ]
                for name in names { try store.save(name, "1") }
                let other = try fleet.store()
                #expect(other.keys().count == 4_500 + names.count)
                for name in names { #expect(other.text(name) == "1", "\(name.count)") }
                #expect(other.text("k4499") == "4499")
            }
        }

        @Test("Two spellings of a name are one setting, and keys that no setting can have disturb nothing")
        func spellings() async throws {
            try await Fleet.with { fleet in
                try fleet.server.control("put", "test/e\u{301}", "1")
                try fleet.server.control("put", "test/\u{E9}", "2")
                try fleet.server.control("put", "test/", "9")
                let store = try fleet.store()
                #expect(store.keys().count == 1)
                #expect(store.text("e\u{301}") == "2" && store.text("\u{E9}") == "2")
                try store.synchronize()
                try fleet.server.control("del", "test/\u{E9}")
                try await until { store.text("\u{E9}") == "1" }
                try store.save("\u{E9}", "3")
                #expect(try fleet.server.control("get", "test/e\u{301}", "--print-value-only") == "3\n")
                try store.synchronize()
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
