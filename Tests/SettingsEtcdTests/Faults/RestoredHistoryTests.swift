import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithSlowEtcd {
    @Suite("The history after a restoration", .timeLimit(.minutes(10)))
    struct RestoredHistoryTests {
        private static let keys = 4

        /// The history of one phase, which begins with the values that the cluster holds.
        private final class Phase: Sendable {
            let stores: [EtcdStore]
            let history = Recorder<(key: Int, operation: RegisterOperation)>()
            let time = Atomic<UInt64>(0)

            init(stores: [EtcdStore]) { self.stores = stores }

            func tick() -> UInt64 { time.add(1, ordering: .sequentiallyConsistent).newValue }

            func begin(with values: [Int?]) {
                for case (let key, let value?) in values.enumerated() {
                    history.append((key, RegisterOperation(kind: .write(value), call: tick(), end: tick())))
                }
            }

            /// Has each client save, update and read, until it has done so some times.
            func run(operations: Int, seed: UInt64) {
                inParallel(stores.count) { client in
                    var generator = SeededGenerator(seed: seed + UInt64(client))
                    let settings = SettingsService.fleet(stores[client])
                    for number in 0..<operations {
                        let key = Int.random(in: 0..<keys, using: &generator)
                        let setting = Setting<Int?>("r\(key)", in: .fleet)
                        let value = Int(seed) * 10_000_000 + client * 1_000_000 + number + 1
                        let call = tick()
                        func record(_ kind: RegisterOperation.Kind, _ error: SettingsError.Code?) {
                            if error == .clusterUnreachable { return }
                            let end = error == nil ? tick() : nil
                            history.append((key, RegisterOperation(kind: kind, call: call, end: end)))
                        }
                        switch Int.random(in: 0..<3, using: &generator) {
                        case 0: record(.write(value), thrownCode { try settings.save(setting, to: value) })
                        case 1:
                            let before = Box<Int?>(nil)
                            let error = thrownCode {
                                try settings.save { t in
                                    before.value = t.get(setting)
                                    t.set(setting, to: value)
                                }
                            }
                            record(.update(from: before.value, to: value), error)
                        default:
                            if thrownCode({ try stores[client].synchronize() }) == nil {
                                record(.read(settings.get(setting)), nil)
                            }
                        }
                    }
                }
            }

            func check() {
                for key in 0..<keys {
                    let one = history.all.filter { $0.key == key }.map(\.operation)
                    #expect(Linearizability.holds(one), "register \(key): \(one.sorted { $0.call < $1.call })")
                }
            }
        }

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
                let first = Phase(stores: stores)
                first.begin(with: Array(repeating: nil, count: Self.keys))
                first.run(operations: operations, seed: 1)
                first.check()
                let snapshot = fleet.directory + "/snapshot"
                try fleet.server.control("snapshot", "save", snapshot)
                // What is lost.
                Phase(stores: stores).run(operations: operations, seed: 2)

                try fleet.server.restore(snapshot, token: token)
                let second = Phase(stores: stores)
                second.begin(with: try values(in: fleet))
                second.run(operations: operations, seed: 3)
                for store in stores { try await until { thrownCode { try store.synchronize() } == nil } }
                second.check()
                let last = try values(in: fleet)
                for store in stores {
                    #expect((0..<Self.keys).map { store.text("r\($0)").flatMap { Int($0) } } == last)
                }
                #expect(second.history.count > operations)
            }
        }
    }
}
