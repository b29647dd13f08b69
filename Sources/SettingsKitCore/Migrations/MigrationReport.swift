extension SettingsService {
    /// What a migration has done, and what it has found.
    public struct MigrationReport: Sendable, Equatable {
        /// The ids of the versioned steps that were carried out, in order.
        public let appliedVersions: [String]
        /// The ids of steps that were carried out by a newer version of the program, which this one does not know.
        public let unknownVersions: [String]
    }

    /// Which step of a migration has failed, and why: what is underlying a ``SettingsError`` with the code
    /// `migrationFailed`.
    public struct MigrationFailure: ValueFreeError, CustomReflectable {
        /// Which step it was: the id of a version, or the name that a value was to be taken from.
        public let step: String
        /// What the step has thrown, or what has kept it from reading or writing.
        public let underlying: any Error
        let stepDescription: String

        init(step: String, underlying: any Error, stepDescription: String) {
            self.step = step
            self.underlying = underlying
            self.stepDescription = stepDescription
        }

        /// Says which step it was and what went wrong, without any value.
        public var description: String {
            "In \(stepDescription): \(SettingsError.safeDescription(of: underlying))"
        }

        /// A mirror without the underlying error's contents, so that `dump` shows no value.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }
}

/// That there were steps which this program does not know.
struct UnknownVersions: ValueFreeError {
    let ids: [String]

    var description: String { "Unknown here: \(ids.map { "\"\($0)\"" }.joined(separator: ", "))." }
}

extension SettingsError.Code {
    /// A step of a migration failed; nothing of the migration was carried out.
    public static let migrationFailed = Self(
        name: "migrationFailed", advice: "A migration step failed; nothing of the migration was carried out.")
    /// What is stored was migrated by a newer version of the program.
    public static let newerVersion = Self(
        name: "newerVersion",
        advice: "A newer version of this program has migrated the settings; what it changed may not be understood here."
    )
}
