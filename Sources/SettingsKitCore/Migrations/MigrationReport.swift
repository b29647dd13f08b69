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
