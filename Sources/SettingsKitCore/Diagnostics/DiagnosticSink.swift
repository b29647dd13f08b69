extension SettingsService {
    /// Where a service tells what went wrong when there was nobody to throw an error to.
    ///
    /// Besides its sink, every service has ``SettingsService/diagnostics``, a sequence of the same errors.
    public struct DiagnosticSink: Sendable {
        package let receive: @Sendable (SettingsError) -> Void

        /// A sink that calls `receive`, from any thread, never with a lock held.
        public init(_ receive: @escaping @Sendable (SettingsError) -> Void) {
            self.receive = receive
        }

        /// Drops everything.
        public static let none = DiagnosticSink { _ in }
    }
}
