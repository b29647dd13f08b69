import Foundation
import SettingsCore

#if canImport(os)
    import os
#endif

extension SettingsService.DiagnosticSink {
    /// The log on Apple platforms (subsystem `SettingsKit`), standard error elsewhere.
    public static let standard: SettingsService.DiagnosticSink = {
        #if canImport(os)
            let logger = Logger(subsystem: "SettingsKit", category: "settings")
            return SettingsService.DiagnosticSink { error in
                // Nothing in the description is private: it never holds a value.
                logger.error("\(error.description, privacy: .public)")
            }
        #else
            return standardError
        #endif
    }()

    /// Standard error, a line for each problem.
    public static let standardError = SettingsService.DiagnosticSink { error in
        FileHandle.standardError.write(Data("SettingsKit: \(error.description)\n".utf8))
    }
}
