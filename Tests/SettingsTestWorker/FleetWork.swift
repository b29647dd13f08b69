import Foundation
import SettingsEtcd
import SettingsKitCore

/// What workers do on a cluster of etcd. The path is that of the folder for the last known values; the endpoints are separated
/// by commas.
enum FleetWork {
    private static let scope = SettingsService.Scope.custom(id: "fleet")

    static func open(_ endpoints: String, prefix: String, state: String, patience: Duration) throws -> SettingsService {
        let store = try openStore(endpoints, prefix: prefix, state: state, patience: patience)
        return SettingsService(stores: [scope: store], diagnosticSink: .init { _ in })
    }

    static func openStore(
        _ endpoints: String, prefix: String, state: String, patience: Duration
    ) throws -> EtcdStore {
        var options = EtcdStore.Options()
        options.patience = patience
        return try EtcdStore(
            endpoints: endpoints.split(separator: ",").map(String.init), prefix: prefix,
            state: URL(fileURLWithPath: state), options: options)
    }

    /// Changes one counter so often. A change that was certainly not made is made again; one that may have been made ends the
    /// process with an error.
    static func count(_ settings: SettingsService, times: Int) throws {
        let counter = Setting<Int>("counter", in: scope, default: 0)
        var rest = times
        while rest > 0 {
            do {
                try settings.save { $0.update(counter) { $0 += 1 } }
                rest -= 1
            } catch SettingsError.Code.clusterUnreachable {
                continue
            }
        }
    }

    /// Sets keys of its own, and says the number of those that the cluster has acknowledged so far.
    static func fill(_ settings: SettingsService, name: String, count: Int, batch: Int) {
        var next = 0
        while next < count {
            let numbers = next..<min(next + batch, count)
            do {
                try settings.save { t in
                    for number in numbers {
                        t.set(Setting<Int>("\(name)-\(number)", in: scope, default: -1), to: number)
                    }
                }
                next = numbers.upperBound
                say("\(next)")
            } catch {
                continue
            }
        }
    }

    /// Says each value of a setting, and when it was seen.
    static func follow(_ settings: SettingsService) {
        let value = Setting<Int>("value", in: scope, default: 0)
        let subscription = settings.observe(value) { change in say("\(change.newValue) \(now())") }
        say("ready")
        withExtendedLifetime(subscription) { while true { sleep(60) } }
    }
}
