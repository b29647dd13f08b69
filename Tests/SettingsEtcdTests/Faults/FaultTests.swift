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
            delay: 4, cut: 0.01, losesAnswer: 0.02, duplicates: 0.1, isLate: 0.02, losesWrite: 0.02, junk: 0.02,
            dies: 0.01)

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

        private func killLeader(of server: EtcdServer, afterSeconds pause: Double) async throws {
            try await Task.sleep(for: .seconds(pause))
            guard let leader = try server.leader() else { return }
            server.kill(leader)
            try await Task.sleep(for: .seconds(2))
            try server.start(leader)
            _ = try await eventually { (try server.leader()) != nil }
        }

        /// Kills the first member that begins to answer a write request, and starts it again.
        private func killMemberAtAnswer(of server: EtcdServer, _ proxies: [[FaultyProxy]]) async throws {
            let (isKilled, isBack) = (Box(false), Box(false))
            for (member, proxy) in proxies.flatMap({ $0.enumerated() }) {
                var death = FaultyProxy.Faults(dies: 1)
                death.whileDead = {
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

        @Test(
            "4 processes count to 1,000 while the leader is killed three times, and answers are lost and requests doubled"
        )
        func counter() async throws {
            let times = Rounds.choose(60, full: 250)
            try await withProxies(clients: 4) { fleet, proxies in
                let workers = try (0..<4).map { index in
                    try Worker(
                        "fleet-count", fleet.directory + "/state",
                        proxies[index].map(\.endpoint).joined(separator: ","), "test/",
                        "\(times)")
                }
                for _ in 0..<Rounds.choose(1, full: 3) { try await killLeader(of: fleet.server, afterSeconds: 1) }
                for worker in workers { #expect(await worker.status() == 0) }
                #expect(
                    try fleet.server.control("get", "test/counter", "--print-value-only") == "\(4 * times)\n")
            }
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
                    // As long as it takes to be noticed.
                    try await Task.sleep(for: .seconds(7))
                    server.pause(member, false)
                    _ = try await eventually { (try server.leader()) != nil }
                }
            }
        }

        @Test(
            "The history of five clients on registers and counters under faults is linearizable",
            arguments: MemberFault.allCases)
        func linearizable(fault: MemberFault) async throws {
            // The last registers are counters.
            let (operations, keys, counters) = (Rounds.choose(60, full: 300), 6, 4..<6)
            let clock = LogicalClock()
            try await withProxies(clients: 5) { fleet, proxies in
                let history = Recorder<(key: Int, operation: RegisterOperation)>()
                let stores = try proxies.map {
                    try fleet.store(endpoints: $0.map(\.endpoint)) { $0.patience = .seconds(3) }
                }
                async let chaos: Void = disturb(fault, fleet.server, proxies)
                inParallel(5) { client in
                    var generator = SeededGenerator(seed: UInt64(client))
                    let store = stores[client]
                    let settings = SettingsService.fleet(store)
                    for number in 0..<operations {
                        let key = Int.random(in: 0..<keys, using: &generator)
                        let setting = Setting<Int?>("r\(key)", in: .fleet)
                        let value = client * 1_000_000 + number + 1
                        let call = clock.tick()
                        func record(_ kind: RegisterOperation.Kind, _ end: UInt64?) {
                            history.append((key, RegisterOperation(kind: kind, call: call, end: end)))
                        }
                        switch Int.random(in: 0..<3, using: &generator) {
                        case 0 where !counters.contains(key):
                            let error = thrownCode { try settings.save(setting, to: value) }
                            if error == nil {
                                record(.write(value), clock.tick())
                            } else if error != .clusterUnreachable {
                                record(.write(value), nil)
                            }
                        case 0, 1:
                            let change = Box<(from: Int?, to: Int)>((nil, 0))
                            let error = thrownCode {
                                try settings.save { t in
                                    let stored = t.get(setting)
                                    change.value = (stored, counters.contains(key) ? (stored ?? 0) + 1 : value)
                                    t.set(setting, to: change.value.to)
                                }
                            }
                            let kind = RegisterOperation.Kind.update(from: change.value.from, to: change.value.to)
                            if error == nil {
                                record(kind, clock.tick())
                            } else if error != .clusterUnreachable {
                                record(kind, nil)
                            }
                        default:
                            let read = Box<Int?>(nil)
                            let error = thrownCode {
                                if Bool.random(using: &generator) {
                                    try store.synchronize()
                                    read.value = settings.get(setting)
                                } else {
                                    read.value = try settings.save { $0.get(setting) }
                                }
                            }
                            if error == nil { record(.read(read.value), clock.tick()) }
                        }
                    }
                }
                try await chaos
                for proxy in proxies.joined() { proxy.setFaults(.init()) }
                for store in stores { try await until { thrownCode { try store.synchronize() } == nil } }
                let all = history.all
                print("linearizability: \(all.count) operations of five clients on \(keys) registers")
                #expect(all.count > operations * 2)
                for key in 0..<keys {
                    let one = all.filter { $0.key == key }.map(\.operation)
                    #expect(Linearizability.holds(one), "register \(key): \(one.sorted { $0.call < $1.call })")
                }
                // Every increment that is known to be made, and no more than those that may have been.
                for key in counters {
                    let changes = all.filter { if case .update = $0.operation.kind { $0.key == key } else { false } }
                    let count = try #require(stores[0].text("r\(key)").flatMap { Int($0) })
                    #expect(changes.count { $0.operation.end != nil } <= count && count <= changes.count)
                }
            }
        }
    }
}

/// Orders the calls and returns of the operations of all threads.
private final class LogicalClock: Sendable {
    private let time = Atomic<UInt64>(0)

    func tick() -> UInt64 { time.add(1, ordering: .sequentiallyConsistent).newValue }
}
