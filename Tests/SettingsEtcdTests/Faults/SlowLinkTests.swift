import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithSlowEtcd {
    @Suite("Over a slow link", .timeLimit(.minutes(5)))
    struct SlowLinkTests {
        @Test("A prefix is read that takes longer than a request may")
        func firstRead() async throws {
            try await Fleet.with { fleet in
                let writer = try fleet.store(state: "writer")
                let value = Data("\"\(String(repeating: "x", count: 1_500))\"".utf8)
                for start in stride(from: 0, to: 2_000, by: 100) {
                    let writes = (start..<start + 100).map {
                        SettingsStoreBatch.Entry(key: fleetKey("n\($0)"), data: value)
                    }
                    _ = try writer.apply(SettingsStoreBatch(writes: writes))
                }
                // Four megabytes in JSON, which take four seconds; each of two members gets one.
                let proxies = try (0..<2).map { _ in try FaultyProxy(to: fleet.server.ports[0]) }
                defer { for proxy in proxies { proxy.close() } }
                for proxy in proxies { proxy.setFaults(.init(bytesPerSecond: 1_000_000)) }
                let store = try fleet.store(endpoints: proxies.map(\.endpoint)) { $0.patience = .seconds(2) }
                try await until { store.isConnected }
                #expect(store.keys().count == 2_000)
            }
        }

        @Test("A large value is sent that takes longer than the caller waits")
        func largeValue() async throws {
            try await Fleet.withProxy({ $0.patience = .seconds(1) }) { fleet, proxy, store in
                try await until { store.isConnected }
                // About four seconds.
                proxy.setFaults(.init(requestBytesPerSecond: 100_000))
                let value = Data("\"\(String(repeating: "x", count: 300_000))\"".utf8)
                try store.set(fleetKey("large"), to: value)
                #expect(thrownCode { try store.synchronize() } == .pending)
                let other = try fleet.store(state: "other") { $0.patience = .seconds(60) }
                try await until { other.get(fleetKey("large")) == value }
            }
        }

        @Test("Pages shrink when one takes too long or is too large, and not below what is of use")
        func pages() {
            var page = PageSize()
            page.adapt(to: .seconds(1), limit: .seconds(5))
            #expect(page.entries == 2_000)
            page.adapt(to: .seconds(3), limit: .seconds(5))
            #expect(page.entries == 1_000)
            let isSmaller = page.shrinkAfterTimeOut()
            #expect(isSmaller && page.entries == 250)
            for _ in 0..<5 { page.adapt(to: .seconds(3), limit: .seconds(5)) }
            #expect(page.entries == 50)
            let isStillSmaller = page.shrinkAfterTimeOut()
            #expect(!isStillSmaller && page.entries == 50)
            let fits = (page.shrinkAfterLimit(), page.shrinkAfterLimit(), page.shrinkAfterLimit())
            #expect(fits == (true, true, false) && page.entries == 1)
        }
    }
}
