import Dispatch

extension SQLiteStorage {
    /// How a database is opened and used.
    public struct Configuration: Sendable {
        /// Whether nothing is to be written: the file must be there, and have all versions of the schema.
        public var isReadOnly = false
        /// Whether rows can only refer to rows that are there.
        public var foreignKeysEnabled = true
        /// What messages and threads call the database, when there are several.
        public var label: String?
        /// Whose versions of the schema are given. Where several storages have tables in one database, each with a list of
        /// versions, each needs a name of its own here.
        public var schemaName = "main"
        /// Whether migrations that GRDB has applied to the database count as versions of the schema.
        ///
        /// An identifier in GRDB's table `grdb_migrations` counts as the version with this id, or as a version that names it
        /// in ``SQLiteSchemaVersion/replaces``. Each must be known in one of these ways; otherwise opening throws
        /// `schemaTooNew`. The identifiers are copied once, when no version was recorded yet; GRDB's table is not changed.
        public var adoptsGRDBMigrations = false
        /// How many reads run at the same time.
        public var maximumReaderCount = 5
        /// How long an access waits for others, of this process and of other ones, before it throws `busy`.
        ///
        /// An asynchronous access waits longer as long as those before it end. Within the process, a tenth of a second is
        /// the least.
        public var busyTimeout = Duration.seconds(3)
        /// Where asynchronous accesses run: beside each other if it is a concurrent queue. Nil: on threads of their own.
        public var targetQueue: DispatchQueue?

        /// The usual configuration.
        public init() {}
    }
}
