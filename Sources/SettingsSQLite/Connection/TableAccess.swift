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
