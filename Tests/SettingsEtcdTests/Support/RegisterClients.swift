import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

/// Clients that save, update and read registers at random, and the history of that.
final class RegisterClients: Sendable {
    let stores: [EtcdStore]
    let keys: Int
    /// The registers that are only counted up.
    let counters: Range<Int>
    let history = Recorder<(key: Int, operation: RegisterOperation)>()
    private let time = Atomic<UInt64>(0)

    init(_ stores: [EtcdStore], keys: Int, counters: Range<Int> = 0..<0) {
        (self.stores, self.keys, self.counters) = (stores, keys, counters)
    }

    private func tick() -> UInt64 { time.add(1, ordering: .sequentiallyConsistent).newValue }

    /// Begins with what the cluster holds.
    func begin(with values: [Int?]) {
        for case (let key, let value?) in values.enumerated() {
            history.append((key, RegisterOperation(kind: .write(value), call: tick(), end: tick())))
        }
    }

    /// Has each client work so many times.
    func run(operations: Int, seed: UInt64) {
        inParallel(stores.count) { client in
            var generator = SeededGenerator(seed: seed * 100 + UInt64(client))
            let (store, settings) = (stores[client], SettingsService.fleet(stores[client]))
            for number in 0..<operations {
                let key = Int.random(in: 0..<keys, using: &generator)
                let setting = Setting<Int?>("r\(key)", in: .fleet)
                let value = (Int(seed) * 10 + client) * 1_000_000 + number + 1
                let (found, written) = (Box<Int?>(nil), Box(value))
                let call = tick()
                var kind = RegisterOperation.Kind.write(value)
                let error: SettingsError.Code?
                switch Int.random(in: 0..<3, using: &generator) {
                case 0 where !counters.contains(key): error = thrownCode { try settings.save(setting, to: value) }
                case 0, 1:
                    error = thrownCode {
                        try settings.save { t in
                            found.value = t.get(setting)
                            if counters.contains(key) { written.value = (found.value ?? 0) + 1 }
                            t.set(setting, to: written.value)
                        }
                    }
                    kind = .update(from: found.value, to: written.value)
                default:
                    let synchronizes = Bool.random(using: &generator)
                    error = thrownCode {
                        if synchronizes { try store.synchronize() }
                        found.value = try synchronizes ? settings.get(setting) : settings.save { $0.get(setting) }
                    }
                    if error != nil { continue }
                    kind = .read(found.value)
                }
                // What was not carried out is no part of the history.
                if error == .clusterUnreachable { continue }
                history.append((key, RegisterOperation(kind: kind, call: call, end: error == nil ? tick() : nil)))
            }
        }
    }

    /// Waits until all stores reach the cluster, and checks that the history is linearizable.
    func check() async throws {
        for store in stores { try await until { thrownCode { try store.synchronize() } == nil } }
        for key in 0..<keys {
            let one = history.all.filter { $0.key == key }.map(\.operation)
            #expect(Linearizability.holds(one), "register \(key): \(one.sorted { $0.call < $1.call })")
            guard counters.contains(key) else { continue }
            // Every increment that is known to be made, and no more than those that may have been.
            let changes = one.filter { if case .update = $0.kind { true } else { false } }
            let count = stores[0].text("r\(key)").flatMap { Int($0) } ?? 0
            #expect(changes.count { $0.end != nil } <= count && count <= changes.count)
        }
    }
}
