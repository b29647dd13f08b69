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
}
