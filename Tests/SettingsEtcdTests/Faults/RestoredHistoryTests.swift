import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithSlowEtcd {
    @Suite("The history after a restoration", .timeLimit(.minutes(10)))
    struct RestoredHistoryTests {
        private static let keys = 4

        private func values(in fleet: Fleet) throws -> [Int?] {
            try (0..<Self.keys).map { key in
                Int(
                    try fleet.server.control("get", "test/r\(key)", "--print-value-only").trimmingCharacters(
                        in: .newlines))
            }
        }

        @Test(
            "It is linearizable from the restored values on, with the same identity and with another",
            arguments: [nil, "another"])
        func restored(token: String?) async throws {
            let operations = Rounds.choose(25, full: 150)
            try await Fleet.with { fleet in
                let stores = try (0..<4).map { index in
                    try fleet.store(state: "state\(index)") { $0.patience = .seconds(20) }
                }
                let first = RegisterClients(stores, keys: Self.keys)
                first.run(operations: operations, seed: 1)
                try await first.check()
                let snapshot = fleet.directory + "/snapshot"
                try fleet.server.control("snapshot", "save", snapshot)
                // What is lost.
                RegisterClients(stores, keys: Self.keys).run(operations: operations, seed: 2)

                try fleet.server.restore(snapshot, token: token)
                let second = RegisterClients(stores, keys: Self.keys)
                second.begin(with: try values(in: fleet))
                second.run(operations: operations, seed: 3)
                try await second.check()
                let last = try values(in: fleet)
                for store in stores {
                    #expect((0..<Self.keys).map { store.text("r\($0)").flatMap { Int($0) } } == last)
                }
                #expect(second.history.count > operations)
            }
        }
    }
}
