import CSettingsKitSQLite

/// Which tables a statement reads and writes, as SQLite says while it prepares it: triggers, views and the actions of
/// foreign keys included.
struct TableAccess: Sendable, Equatable {
    var reads: Set<String> = []
    var writes: Set<String> = []
    /// Whether it makes, alters or drops something: any table may be concerned then.
    var changesSchema = false

    mutating func formUnion(_ other: TableAccess) {
        reads.formUnion(other.reads)
        writes.formUnion(other.writes)
        changesSchema = changesSchema || other.changesSchema
    }
}

/// What SQLite asks before it compiles a part of a statement; belongs to one connection, and takes notes for it.
final class Authorizer {
    var access = TableAccess()
    /// Whether statements may begin and end transactions: only those of this module may.
    var allowsTransactions = false

    /// Has a connection ask `authorizer`, which must live as long as the connection.
    static func install(_ authorizer: Authorizer, on handle: OpaquePointer) {
        _ = sqlite3_set_authorizer(
            handle,
            { context, action, first, _, _, _ in
                guard let context else { return Int32(SQLITE_OK) }
                return Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue().answer(Int(action), first)
            }, Unmanaged.passUnretained(authorizer).toOpaque())
    }

    private func answer(_ action: Int, _ first: UnsafePointer<CChar>?) -> Int32 {
        switch action {
        case SQLITE_READ:
            if let first { access.reads.insert(String(cString: first)) }
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
            guard let first else { break }
            let table = String(cString: first)
            if table == "sqlite_master" || table == "sqlite_schema" { access.changesSchema = true }
            access.writes.insert(table)
        case SQLITE_TRANSACTION:
            if !allowsTransactions { return Int32(SQLITE_DENY) }
        default:
            break
        }
        return Int32(SQLITE_OK)
    }
}
