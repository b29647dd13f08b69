#if canImport(os)
    import os
#endif
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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

extension SettingsService.DiagnosticSink {
    /// The log on Apple platforms (subsystem `SettingsKit`), standard error elsewhere.
    public static let standard: SettingsService.DiagnosticSink = {
        #if canImport(os)
            let logger = Logger(subsystem: "SettingsKit", category: "settings")
            return SettingsService.DiagnosticSink { error in
                // Nothing in the description is private: it never contains a value.
                logger.error("\(error.description, privacy: .public)")
            }
        #else
            return standardError
        #endif
    }()

    /// Standard error, a line for each error.
    public static let standardError = SettingsService.DiagnosticSink { error in
        var line = "SettingsKit: \(TextLayout.escaped(error.description))\n"
        // One call, so that lines of several processes do not mix. A failure cannot be reported anywhere.
        _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
