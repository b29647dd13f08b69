extension SettingsService {
    /// Receives a service's errors that cannot be thrown to a caller.
    ///
    /// ``SettingsService/diagnostics`` is a sequence of the same errors.
    public struct DiagnosticSink: Sendable {
        package let receive: @Sendable (SettingsError) -> Void

        /// Creates a sink that calls `receive`, from any thread, without a lock.
        public init(_ receive: @escaping @Sendable (SettingsError) -> Void) {
            self.receive = receive
        }

        /// Drops every error.
        public static let none = DiagnosticSink { _ in }
    }
}
