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
        var listeners: [ObjectIdentifier: StreamSource<SettingsError>] = [:]
    }

    private let sink: SettingsService.DiagnosticSink
    private let state = Mutex(State(), .diagnostics)

    init(sink: SettingsService.DiagnosticSink) {
        self.sink = sink
    }

    /// Another object that reports to the same sink.
    var sibling: Diagnostics { Diagnostics(sink: sink) }

    /// Reports an error each time.
    func report(_ error: SettingsError) {
        let (sources, forgotten) = state.withLock { state in
            state.recent.append(error)
            let forgotten = state.recent.count > CoreLimits.recentErrors ? state.recent.removeFirst() : nil
            return (Array(state.listeners.values), forgotten)
        }
        withExtendedLifetime(forgotten) {}
        HeldLocks.requireNone(before: "a sink of diagnostics")
        sink.receive(error)
        for source in sources { source.push(error) }
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
            let owner = StreamOwner(source) { [weak self] in
                _ = self?.state.withLock { $0.listeners.removeValue(forKey: identifier) }
            }
            return { await owner.next() }
        }
    }
}
