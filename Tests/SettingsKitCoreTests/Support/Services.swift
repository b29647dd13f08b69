import SettingsKitCore

extension SettingsService {
    /// A service over one store, in `.defaults`.
    static func over(_ store: any SettingsStore, _ problems: Recorder<SettingsError>? = nil) -> SettingsService {
        SettingsService(
            stores: [.defaults: store], diagnosticSink: DiagnosticSink { problems?.append($0) })
    }
}
