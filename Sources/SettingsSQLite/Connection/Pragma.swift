/// The pragmas that may run inside an access: those that read, and those that change the database but not the connection.
enum Pragma {
    /// The reason why a pragma is refused; nil if it is allowed.
    ///
    /// - Parameter name: In lower case.
    static func refusal(of name: String, hasArgument: Bool) -> String? {
        if changingDatabase.contains(name) { return nil }
        if hasArgument ? readingWithArgument.contains(name) : !actingWithoutArgument.contains(name) { return nil }
        return switch name {
        case "wal_checkpoint": "PRAGMA wal_checkpoint needs the database for itself: call synchronize() or compact()."
        case "foreign_keys": "PRAGMA foreign_keys is set when the database is opened: use the options."
        case "busy_timeout": "PRAGMA busy_timeout is set when the database is opened: use the options."
        default: "PRAGMA \(name) would affect later accesses on this connection."
        }
    }

    /// They become part of the transaction, or end with it.
    private static let changingDatabase: Set<String> = [
        "application_id", "defer_foreign_keys", "incremental_vacuum", "optimize", "user_version",
    ]

    /// Their argument selects what to read.
    private static let readingWithArgument: Set<String> = [
        "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
        "quick_check", "table_info", "table_list", "table_xinfo",
    ]

    /// Without an argument, the others read.
    private static let actingWithoutArgument: Set<String> = ["shrink_memory", "wal_checkpoint"]
}
