// For every file of this target.
@_exported import SettingsTestSupport
import SettingsKitCore

extension SettingsService {
    /// A service whose `.defaults` are in `store`, and its problems.
    static func over(_ store: any SettingsStore) -> (service: SettingsService, problems: Recorder<SettingsError>) {
        let problems = Recorder<SettingsError>()
        return (SettingsService(stores: [.defaults: store], diagnosticSink: .init { problems.append($0) }), problems)
    }
}
