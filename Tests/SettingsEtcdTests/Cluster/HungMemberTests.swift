import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithSlowEtcd {
    @Suite("With a member that hangs", .timeLimit(.minutes(5)))
    struct HungMemberTests {
        enum Hanging: CaseIterable {
            /// The process is stopped.
            case member
            /// Nothing passes on its connections.
            case connection
        }

        /// A store of three members, one of which hangs.
        private struct Hung {
            let store: EtcdStore
            /// Runs etcd's own client at a member that does not hang.
            let control: ([String]) throws -> String?

            /// Stores a value in the cluster. The members may have to elect another leader first.
            func put(_ value: String) async throws {
                try #require(try await eventually { try control(["put", "test/a", value]) != nil })
            }
        }

        /// Calls `body` with each member hanging in turn, and a store whose values were the cluster's before.
        private func withHanging(_ hanging: Hanging, _ body: (Hung) async throws -> Void) async throws {
            try await Fleet.with(3) { fleet in
                let proxies = try fleet.server.ports.map { try FaultyProxy(to: $0) }
                defer { for proxy in proxies { proxy.close() } }
                let store = try fleet.store(endpoints: proxies.map(\.endpoint))
                try store.save("a", "first")
                for index in proxies.indices {
                    try await until { thrownCode { try store.synchronize() } == nil }
                    switch hanging {
                    case .member: fleet.server.pause(index, true)
                    case .connection: proxies[index].setFaults(.init(isStopped: true))
                    }
                    defer {
                        fleet.server.pause(index, false)
                        proxies[index].setFaults(.init())
                    }
                    try await body(Hung(store: store) { try fleet.server.tryControl(at: (index + 1) % 3, $0) })
                }
            }
        }

        @Test(
            "Another member is watched: a change arrives although nothing is asked, and synchronize succeeds",
            arguments: Hanging.allCases, [false, true])
        func change(hanging: Hanging, synchronizes: Bool) async throws {
            try await withHanging(hanging) { hung in
                let value = "\(UInt64.random(in: 0 ... .max))"
                try await hung.put(value)
                // The bound is ten seconds; the rest is for a busy machine.
                if synchronizes {
                    #expect(try await eventually(within: 30) { thrownCode { try hung.store.synchronize() } == nil })
                    #expect(hung.store.text("a") == value)
                } else {
                    #expect(try await eventually(within: 30) { hung.store.text("a") == value })
                }
            }
        }
    }
}
