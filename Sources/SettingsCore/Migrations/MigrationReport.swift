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
    public struct MigrationFailure: ValueFreeError {
        /// The step: its id, or the name that it was to take the value from.
        public let step: String
        /// What the step has thrown, or what has kept it from reading or writing.
        public let underlying: any Error

        /// Says which step it was and what went wrong, without any value.
        public var description: String {
            "In \(step): \(SettingsError.safeDescription(of: underlying))"
        }
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
