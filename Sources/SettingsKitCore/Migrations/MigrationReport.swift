extension SettingsService {
    /// The outcome of a migration.
    public struct MigrationReport: Sendable, Equatable {
        /// The ids of the versions that were applied, in order.
        public let appliedVersions: [String]
        /// The ids of unknown versions, which a newer version of the program has applied.
        public let unknownVersions: [String]
    }

    /// The step of a migration that failed, and the reason. It is the underlying error of a ``SettingsError`` with the
    /// code `migrationFailed`.
    public struct MigrationFailure: ValueFreeError, CustomReflectable {
        /// The step: the id of a version, or the old name of a value.
        public let step: String
        /// The error that the step threw, or that occurred while reading or writing.
        public let underlying: any Error
        let stepDescription: String

        init(step: String, underlying: any Error, stepDescription: String) {
            self.step = step
            self.underlying = underlying
            self.stepDescription = stepDescription
        }

        /// A message with the step and the error, without any value.
        public var description: String {
            "In \(stepDescription): \(SettingsError.safeDescription(of: underlying))"
        }

        /// A mirror without the underlying error's contents, so that `dump` shows no value.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }
}

/// The ids of applied versions that this program does not know.
struct UnknownVersions: ValueFreeError {
    let ids: [String]

    var description: String { "Unknown here: \(ids.map { "\"\($0)\"" }.joined(separator: ", "))." }
}

extension SettingsError.Code {
    /// A step of a migration failed, and nothing was changed.
    public static let migrationFailed = Self(
        name: "migrationFailed", advice: "A migration step failed; nothing has changed.")
    /// A newer version of the program has migrated the settings.
    public static let newerVersion = Self(
        name: "newerVersion",
        advice: "A newer version of this program has migrated the settings; this one may not understand the changes."
    )
}
