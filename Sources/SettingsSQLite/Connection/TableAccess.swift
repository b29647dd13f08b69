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
