import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Collects a service's errors, drops repeated ones, and passes the others to the sink and to the streams of
/// ``SettingsService/diagnostics``.
final class Diagnostics: Sendable {
    /// Identifies an error. A read that fails twice for the same reason is reported once.
    private struct Cause: Hashable {
        let code: SettingsError.Code
        let name: String?
        let store: String?
        let layer: String?
        let bytes: Int

        init(_ error: SettingsError, bytes: Data?) {
            code = error.code
            // A missing store is one cause for all settings of its scope.
            let isOfScope = error.code == .noStore
            name = isOfScope ? nil : error.key?.description
            store = isOfScope ? error.key?.scope.description ?? error.store : error.store
            layer = error.layer
            self.bytes = bytes.hashValue
        }
    }

    private struct State {
        var recent: [SettingsError] = []
        var reported: Set<Cause> = []
        /// The errors of layers at the opening of stores, until a setting is used.
        var held: [SettingsError] = []
        var listeners: [ObjectIdentifier: StreamSource<SettingsError>] = [:]
    }

    private let sink: SettingsService.DiagnosticSink
    private let state = Mutex(State(), .connection)

    init(sink: SettingsService.DiagnosticSink) {
        self.sink = sink
    }

    /// Another object that reports to the same sink.
    var sibling: Diagnostics { Diagnostics(sink: sink) }

    /// Reports an error each time.
    func report(_ error: SettingsError) {
        releaseHeld()
        publish(error)
        HeldLocks.requireNone(before: "a sink of diagnostics")
        sink.receive(error)
    }

    private func publish(_ error: SettingsError) {
        let (sources, forgotten) = state.withLock { state in
            state.recent.append(error)
            let forgotten = state.recent.count > CoreLimits.recentErrors ? state.recent.removeFirst() : nil
            return (Array(state.listeners.values), forgotten)
        }
        withExtendedLifetime(forgotten) {}
        for source in sources { source.push(error) }
    }

    /// Reports an error of opening a store. That of a layer reaches the sink when a setting is used: a check of the settings returns it.
    func reportOpening(_ error: SettingsError) {
        if error.layer == nil { return report(error) }
        publish(error)
        state.withLock { $0.held.append(error) }
    }

    /// Reports the errors that were held back.
    func releaseHeld() { pass(takeHeld()) }

    /// Takes the errors that were held back, for a check of the settings.
    func takeHeld() -> [SettingsError] {
        state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
    }

    /// Passes errors on to the sink, except those with the descriptions of others.
    func pass(_ held: [SettingsError], except known: Set<String> = []) {
        for error in held where !known.contains(error.description) { sink.receive(error) }
    }

    /// Records that the program receives a read error in another way.
    func recordKnown(_ error: SettingsError, bytes: Data?) {
        state.withLock { _ = $0.reported.insert(Cause(error, bytes: bytes)) }
    }

    /// Reports a read error, once for each cause.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that could not be decoded, if there are any.
    ///   - line: Returns the line of the file that has them. Called only if the error is reported.
    func reportOnce(_ error: SettingsError, bytes: Data? = nil, line: () -> Int? = { nil }) {
        let cause = Cause(error, bytes: bytes)
        let isNew = state.withLock { state in
            if state.reported.count >= CoreLimits.reportedCauses { state.reported.removeAll() }
            return state.reported.insert(cause).inserted
        }
        if isNew { report(error.completed(key: nil, store: nil, line: line())) }
    }

    /// Publishes the last 64 errors that could not be thrown to a caller, and then each new one.
    func stream() -> SettingsService.Stream<SettingsError> {
        SettingsService.Stream { [self] in
            let source = StreamSource<SettingsError>(limit: CoreLimits.waitingErrors) { _, newer in newer }
            let identifier = ObjectIdentifier(source)
            state.withLock { state in
                for error in state.recent { source.push(error) }
                state.listeners[identifier] = source
            }
            return source.elements(
                from: .init { [weak self] in
                    _ = self?.state.withLock { $0.listeners.removeValue(forKey: identifier) }
                })
        }
    }
}
