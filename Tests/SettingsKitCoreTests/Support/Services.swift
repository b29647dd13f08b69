@testable import SettingsKitCore
import Testing

extension SettingsService {
    /// A service over one store, in `.defaults`.
    static func over(_ store: any SettingsStore, _ problems: Recorder<SettingsError>? = nil) -> SettingsService {
        SettingsService(
            stores: [.defaults: store], diagnosticSink: DiagnosticSink { problems?.append($0) })
    }
}

extension SettingsService {
    /// Runs `body` once in a listener. The changes that it makes wait until it returns.
    func whileDelivering(_ body: @escaping @Sendable () -> Void) {
        let gate = Setting<Int>("gate", in: .defaults, default: 0)
        let isRun = Box(false)
        let subscription = observe(gate) { _ in if !isRun.take(replacingWith: true) { body() } }
        set(gate, to: 1)
        subscription.cancel()
        #expect(isRun.value)
    }

    /// Merges the changes of `.defaults` that wait beyond a number.
    func mergeChanges(beyond limit: Int) {
        connections[.defaults].state.withLock { $0.limit = limit }
    }
}
