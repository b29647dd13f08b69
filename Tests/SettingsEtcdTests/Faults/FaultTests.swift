import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("Under faults", .timeLimit(.minutes(20)))
    struct FaultTests {
        /// Faults of the network and of members that leave most requests alone.
        private let faults = FaultyProxy.Faults(
            delay: 4, cut: 0.01, duplicates: 0.1, isLate: 0.02, losesWrite: 0.03, junk: 0.02, dies: 0.01)

        /// A cluster of three, each member behind a proxy of each client.
        private func withProxies(
            clients: Int, _ body: (Fleet, [[FaultyProxy]]) async throws -> Void
        ) async throws {
            try await Fleet.with(3) { fleet in
                let proxies = try (0..<clients).map { client in
                    try fleet.server.ports.enumerated().map { try FaultyProxy(to: $1, seed: UInt64(client * 3 + $0)) }
                }
                defer { for proxy in proxies.joined() { proxy.close() } }
                for proxy in proxies.joined() { proxy.setFaults(faults) }
                try await body(fleet, proxies)
            }
        }

        /// Kills the first member that begins to answer a write request, and starts it again.
        private func killMemberAtAnswer(of server: EtcdServer, _ proxies: [[FaultyProxy]]) async throws {
            let (isKilled, isBack) = (Box(false), Box(false))
            for (member, proxy) in proxies.flatMap({ $0.enumerated() }) {
                var death = FaultyProxy.Faults(dies: 1)
                death.whileDead = {
                    // For a time the member is away, as after a crash: the clients have to do without it.
                    if isKilled.take(replacingWith: true) { return Thread.sleep(forTimeInterval: 0.15) }
                    server.kill(member)
                    Thread.sleep(forTimeInterval: 1)
                    #expect(throws: Never.self) { try server.start(member) }
                    isBack.value = true
                }
                proxy.setNextFault(death)
            }
            try await until { isBack.value }
        }

        /// What happens to members while the clients work.
        enum MemberFault: CaseIterable {
            case killedAtAnswer
            case hanging
        }

        private func disturb(_ fault: MemberFault, _ server: EtcdServer, _ proxies: [[FaultyProxy]]) async throws {
            switch fault {
            case .killedAtAnswer: try await killMemberAtAnswer(of: server, proxies)
            case .hanging:
                for member in server.ports.indices {
                    server.pause(member, true)
                    // For a time longer than the silence after which the clients leave it.
                    try await Task.sleep(for: .seconds(3))
                    server.pause(member, false)
                    // The others have a leader again.
                    try #require(try await eventually { try server.tryControl(["put", "other/key", "1"]) != nil })
                }
            }
        }

        @Test(
            "The history of five clients on registers and counters under faults is linearizable",
            arguments: MemberFault.allCases)
        func linearizable(fault: MemberFault) async throws {
            let operations = Rounds.choose(60, full: 300)
            try await withProxies(clients: 5) { fleet, proxies in
                let stores = try proxies.map {
                    try fleet.store(endpoints: $0.map(\.endpoint)) {
                        ($0.patience, $0.silence) = (.seconds(3), .seconds(1))
                    }
                }
                let clients = RegisterClients(stores, keys: 6, counters: 4..<6)
                async let chaos: Void = disturb(fault, fleet.server, proxies)
                clients.run(operations: operations, seed: 0)
                try await chaos
                for proxy in proxies.joined() { proxy.setFaults(.init()) }
                try await clients.check()
                print("linearizability: \(clients.history.count) operations of five clients on six registers")
                #expect(clients.history.count > operations * 2)
            }
        }
    }
}
