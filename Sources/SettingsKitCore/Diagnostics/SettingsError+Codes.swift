// The codes of settings, layers, migrations and stores of any kind, with their advice. Stores with other ones have them in
// `SettingsError+DirectoryStore`, `SettingsError+SQLite` and `SettingsError+Etcd`.
extension SettingsError.Code {
    /// No store is registered for the setting's scope: it reads as its default and cannot be set.
    public static let noStore = Self(
        name: "noStore", advice: "No store is registered for this scope; pass one to the service or register it.")
    /// The value has no encoded form; the old value stays.
    public static let encodingFailed = Self(
        name: "encodingFailed", advice: "The value cannot be encoded; the old value stays.")
    /// The stored bytes cannot be decoded as the setting's type. They stay until a new value is set. The setting has its default,
    /// or the last good value if the bytes are an external change while the program ran.
    public static let decodingFailed = Self(
        name: "decodingFailed",
        advice: "The stored bytes are not a value of the setting's type; they stay until a new value is set.")
    /// The setting's validation or type rejects the value. If a call passed the value, nothing is stored. If a store has the value,
    /// it stays there, and the setting has the last good value, the next layer's or its default.
    public static let invalidValue = Self(
        name: "invalidValue", advice: "The setting rejects this value.")
    /// A layer above the one that is written to has a value, or cannot be read, so the setting cannot be changed.
    public static let locked = Self(
        name: "locked",
        advice: "The setting is locked by a layer above the one that is written to; change or remove the value there.")
    /// The same code, if the layer cannot be read.
    static let lockedByUnreadableLayer = Self(
        name: locked.name,
        advice: "The setting is locked, because a layer above the one that is written to cannot be read; "
            + "repair that layer.")
    /// The store could not read.
    public static let readFailed = Self(
        name: "readFailed",
        advice: "The store could not be read; settings whose values are not known read as their defaults.")
    /// The same code, for a file that is a layer.
    package static let unreadableFile = Self(
        name: readFailed.name,
        advice: "A file of a layer could not be read; the values that were last read from it stay in force. Repair it.")
    /// The store could not write; the old value stays.
    public static let writeFailed = Self(
        name: "writeFailed", advice: "The store could not be written; what it holds is unchanged.")
    /// The store's file could not be updated, or flushed to the disk; the store tries again. No change is lost: a property list has
    /// it in its log, other stores keep it in memory.
    public static let notSaved = Self(
        name: "notSaved",
        advice: "The file could not be brought up to date; changes are kept, and written when this is possible again. "
            + "Make room or check permissions.")
    /// The store cannot be opened now. Its file is not changed.
    public static let storeUnavailable = Self(
        name: "storeUnavailable", advice: "The store cannot be opened; its file was not changed.")
    /// The same code, for a required file that is a layer.
    package static let requiredFile = Self(
        name: storeUnavailable.name,
        advice: "A file that the program requires is missing or cannot be read; create or repair it.")
    /// A library of the system that the store needs is missing or too old.
    public static let libraryUnavailable = Self(
        name: "libraryUnavailable",
        advice: "A library of the system that the store needs is missing or too old; install it.")
    /// Another process, or another access by this one, has used the store's file for too long.
    public static let busy = Self(
        name: "busy",
        advice: "Another process, or another access of this one, uses the file; nothing was written. Try again.")
    /// The store's file is damaged, and its intact part is used; or a property list was removed, and its settings are reset. A store
    /// that writes keeps a copy of the damaged file, or of the log of the removed one.
    public static let damaged = Self(
        name: "damaged", advice: "The file is damaged; its intact part is used.")
    /// The same code, for a property list that was removed.
    package static let removedList = Self(
        name: damaged.name, advice: "The property list was removed; its settings are reset.")
    /// The log of a property list cannot be used. The property list is read without it, and nothing can be written.
    public static let logUnavailable = Self(
        name: "logUnavailable",
        advice: "The log cannot be used; the property list is read without it, and nothing can be written.")
    /// The store is read-only: it was opened for reading only, or its file or directory does not allow writing.
    public static let readOnly = Self(
        name: "readOnly", advice: "The store can only be read here; nothing was written.")
    /// The value would make the store larger than its limit; the old value stays.
    public static let tooLarge = Self(
        name: "tooLarge", advice: "The value exceeds the limit of the store; the old value stays.")
    /// The store keeps values only in memory, because it has no place for its file.
    public static let memoryOnly = Self(
        name: "memoryOnly",
        advice: "Settings are kept in memory only and end with the process; give the store a place to write to.")
    /// The store does not offer this operation.
    public static let unsupported = Self(
        name: "unsupported", advice: "This store does not offer the operation.")
    /// Other threads or processes kept changing the same settings, so an update failed.
    public static let conflict = Self(
        name: "conflict", advice: "The settings kept changing while they were updated; nothing was written.")

    // MARK: Arguments

    /// A program's arguments have unknown options, or values that their settings reject. The error's description is for the person who
    /// has typed them: all problems, and the usage.
    public static let invalidArguments = Self(name: "invalidArguments", advice: "The arguments are invalid.")

    // MARK: Layers

    /// The layers of a ``LayeredStore`` cannot be combined: there are none, or several are writable, a locked layer is below it or a fallback
    /// above it, names are empty or repeated, or the format of a file is not known.
    public static let invalidLayers = Self(
        name: "invalidLayers",
        advice: "The layers cannot be combined; have one writable layer, or none, locked layers above and fallbacks "
            + "below it, and give all others different names.")
    /// The same code, for a layer that is a file without a known format.
    package static func unknownSuffix(_ suffix: String) -> Self {
        let suffix = JSONText.quoted(suffix)
        return Self(
            name: invalidLayers.name,
            advice: "The suffix \(suffix) names no format of a layer's file; pass the format, or use json, plist, env.")
    }

    /// After an edit, a file of a layer has a name that no setting has. ``SettingsCatalogue/check(in:)`` returns those that it had
    /// before.
    public static let unknownName = Self(
        name: "unknownName", advice: "An entry of a layer has no effect; correct or remove it.")

    // MARK: Migrations

    /// A step of a migration failed, and nothing was changed.
    public static let migrationFailed = Self(
        name: "migrationFailed", advice: "A migration step failed; nothing has changed.")
    /// A newer version of the program has migrated the settings.
    public static let newerVersion = Self(
        name: "newerVersion",
        advice: "A newer version of this program has migrated the settings; this one may not understand the changes."
    )

    // MARK: Stores that come back

    /// A store that could not be opened or written can be used now. Settings have its values, and it has the changes that were kept
    /// in memory. Or a file of a layer, which had a mistake, can be read again.
    public static let recovered = Self(
        name: "recovered",
        advice:
            "The store can be used now; settings read as stored in it, and changes that were kept in memory are stored."
    )
    /// The same code, for a file that is a layer.
    static let readableFile = Self(
        name: recovered.name, advice: "A file of a layer can be read again; its values are in force.")
}
