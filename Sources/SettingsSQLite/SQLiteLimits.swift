/// The limits of a database.
enum SQLiteLimits {
    /// The size to which SQLite truncates the log when it restarts it, in bytes, so that one large write does not occupy the disk.
    static let logSize = 4 << 20
    /// The number of statements that stay prepared in a connection.
    static let preparedStatements = 100
    /// The number of steps after which SQLite asks whether to continue: some ten microseconds.
    static let progressSteps: Int32 = 1_000
    /// The number of reads of a storage that can run at the same time, unless the program chooses another one.
    static let readers = 5
}
