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

        @Test("A large value is sent that takes longer than one request of a small one may")
        func largeValue() async throws {
            try await Fleet.withProxy({ $0.patience = .seconds(30) }) { fleet, proxy, store in
                // About seven seconds.
                proxy.setFaults(.init(requestBytesPerSecond: 60_000))
                let text = "\"\(String(repeating: "x", count: 300_000))\""
                try store.save("large", text)
                #expect(store.text("large") == text)
            }
        }
    }
}
