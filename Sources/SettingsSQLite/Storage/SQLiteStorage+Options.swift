import Dispatch
import SettingsKitCore

extension SQLiteStorage {
    /// Options for opening and using a database.
    public struct Options: Sendable {
        /// What the storage may do. A storage that only reads needs a file with all versions of the schema.
        public var access = SettingsStoreAccess.readWrite
        /// Whether foreign keys are enforced.
        public var foreignKeysEnabled = true
        /// The name of the database in messages and of its threads, to distinguish several.
        public var label: String?
        /// The name of the list of versions. If several storages have tables in one database, each with a list of
        /// versions, give each another name.
        public var schemaName = "main"
        /// The number of reads that can run at the same time.
        public var maximumReaderCount = SQLiteLimits.readers
        /// How long an access waits for another process, or for a store on the same file, before it throws `busy`.
        public var patience = SQLiteTimings.patience
        /// The queue for asynchronous accesses. On a concurrent queue they run beside each other. Nil: they have
        /// separate threads.
        public var targetQueue: DispatchQueue?

        /// Creates the default options.
        public init() {}
    }
}
