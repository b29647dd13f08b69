import CSettingsKitSQLite

/// Decides what a statement may do, and records which tables it uses, while SQLite prepares it. Belongs to one connection.
///
/// Successive accesses use the same connection. So it refuses the beginning and end of a transaction, another database, and
/// temporary tables and triggers. SQLite itself refuses pragmas that a transaction cannot change, such as the journal's mode.
final class Authorizer {
    var access = TableAccess()
    /// Whether the module's own statements are being prepared or run, which may do anything.
    private(set) var isTrusting = false
    /// The reason why the last statement was refused.
    private(set) var refusal: String?

    /// Makes a connection ask `authorizer`, which must live as long as the connection.
    static func install(_ authorizer: Authorizer, on handle: OpaquePointer) {
        _ = sqlite3_set_authorizer(
            handle,
            { context, action, first, _, database, _ in
                guard let context else { return Int32(SQLITE_OK) }
                let authorizer = Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue()
                return authorizer.answer(Int(action), first, database: database)
            }, Unmanaged.passUnretained(authorizer).toOpaque())
    }

    /// Allows everything while `body` runs.
    func trusting<R>(_ body: () throws -> R) rethrows -> R {
        let outer = isTrusting
        isTrusting = true
        defer { isTrusting = outer }
        return try body()
    }

    /// Prepares for the next statement.
    func begin() {
        access = TableAccess()
        refusal = nil
    }

    private func answer(
        _ action: Int, _ first: UnsafePointer<CChar>?, database: UnsafePointer<CChar>?
    ) -> Int32 {
        switch action {
        case SQLITE_READ:
            if let first { access.reads.insert(String(cString: first)) }
        // Only inserts into the schema: there is no other table.
        case SQLITE_INSERT where database.map { String(cString: $0) } == "temp":
            return refuse("Later accesses on this connection would see temporary objects.")
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
            guard let first else { break }
            let table = String(cString: first)
            if table == "sqlite_master" || table == "sqlite_schema" { access.changesSchema = true }
            access.writes.insert(table)
        case SQLITE_TRANSACTION:
            return refuse("Only the storage itself begins and ends transactions.")
        case SQLITE_ATTACH, SQLITE_DETACH:
            return refuse("An attached database would affect later accesses on this connection.")
        default:
            break
        }
        return Int32(SQLITE_OK)
    }

    private func refuse(_ reason: String) -> Int32 {
        if isTrusting { return Int32(SQLITE_OK) }
        refusal = reason
        return Int32(SQLITE_DENY)
    }
}

/// The tables that a statement reads and writes, as SQLite reports while it prepares the statement, including those of triggers,
/// views and the actions of foreign keys.
struct TableAccess: Sendable, Equatable {
    var reads: Set<String> = []
    var writes: Set<String> = []
    /// Whether it creates, alters or drops something, which may concern any table.
    var changesSchema = false

    mutating func formUnion(_ other: TableAccess) {
        reads.formUnion(other.reads)
        writes.formUnion(other.writes)
        changesSchema = changesSchema || other.changesSchema
    }
}
