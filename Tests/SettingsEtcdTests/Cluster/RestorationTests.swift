import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("After the cluster was restored from a snapshot", .timeLimit(.minutes(5)))
    struct RestorationTests {
        /// How many changes follow the restoration, of the same number that were lost with it. The revisions that the cluster
        /// gives again are before, at and after the one that the clients know.
        @Test(
            "Every client ends on the cluster's values, also when it gives the same revisions again",
            arguments: [1, 3, 9])
        func values(changes: Int) async throws {
            try await Fleet.withProxy { fleet, proxy, _ in
                let stores = try (0..<2).map { index in
                    try fleet.store(endpoints: [proxy.endpoint], state: "state\(index)") { $0.patience = .seconds(20) }
                }
                let closed = try fleet.store(state: "closed") { $0.patience = .seconds(20) }
                for name in ["kept", "changed", "again", "removed"] {
                    try fleet.server.control("put", "test/" + name, "1")
                }
                let snapshot = fleet.directory + "/snapshot"
                try fleet.server.control("snapshot", "save", snapshot)
                // Three revisions that are lost: a value, a new key, a removal.
                try fleet.server.control("put", "test/changed", "lost")
                try fleet.server.control("put", "test/ghost", "lost")
                try fleet.server.control("del", "test/removed")
                for store in stores + [closed] { try store.synchronize() }
                closed.close()

                // No client sees the cluster before the changes are made.
                proxy.setFaults(.init(isRefusing: true))
                proxy.cutAll()
                for store in stores { try await until { !store.isConnected } }
                try fleet.server.restore(snapshot)
                for number in 1...changes { try fleet.server.control("put", "test/changed", "\(number)") }
                proxy.setFaults(.init())
                for (index, store) in stores.enumerated() {
                    try await until { thrownCode { try store.synchronize() } == nil }
                    #expect(values(store) == expected(changes), "store \(index)")
                }
                let restarted = try fleet.store(state: "closed") { $0.patience = .seconds(20) }
                try restarted.synchronize()
                #expect(values(restarted) == expected(changes))
                for store in stores + [restarted] { store.close() }
                // Neither does the local file bring them back.
                fleet.server.kill(0)
                for index in 0..<2 {
                    let offline = try fleet.store(endpoints: [proxy.endpoint], state: "state\(index)") {
                        $0.openingPatience = .milliseconds(100)
                    }
                    #expect(values(offline) == expected(changes), "file \(index)")
                }
            }
        }

        private func values(_ store: EtcdStore) -> [String: String] {
            Dictionary(store.keys().map { ($0, store.text($0) ?? "") }) { $1 }
        }

        private func expected(_ changes: Int) -> [String: String] {
            ["kept": "1", "changed": "\(changes)", "again": "1", "removed": "1"]
        }
    }
}
