import Foundation
import SettingsKitCore
import SettingsKitFiles

/// Opens the property list at a path of this machine.
func open(_ path: String) throws -> PropertyListStore {
    try PropertyListStore(url: URL(fileURLWithPath: path))
}

extension SettingsService {
    /// A service whose `.defaults` are in `store`, and its problems.
    static func over(_ store: any SettingsStore) -> (service: SettingsService, problems: Recorder<SettingsError>) {
        let problems = Recorder<SettingsError>()
        let service = SettingsService(stores: [.defaults: store], diagnosticSink: .init { problems.append($0) })
        // The sink receives the problems of opening a store when a setting is first used.
        _ = service.get(Setting<Bool>("first used", in: .defaults, default: false))
        return (service, problems)
    }
}
