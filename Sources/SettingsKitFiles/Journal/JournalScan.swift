/// A record and where in the file it ends.
package struct JournalEntry: Sendable, Equatable {
    package var record: JournalRecord
    package var end: UInt64
}

/// What is in a journal from some offset on.
package struct JournalScan: Sendable, Equatable {
    /// The records that are whole, in their order.
    package var records: [JournalEntry] = []
    /// The offset behind the last of them, or where the scan began if there is none.
    package var end: UInt64
    /// What follows ``end``.
    package var rest = Rest.nothing
    /// What was passed over because there are records behind it, in its order.
    package var damaged: [Range<UInt64>] = []
    /// The journal that the records are of; nil if that was not known, and there is none.
    package var journal: UInt64?

    package enum Rest: Sendable, Equatable {
        case nothing
        /// The beginning of a record that is still being written, or whose writer died over it; or only zeros, which is
        /// what a file has where its size was written before its bytes.
        case incomplete
        /// Something that is no beginning of a record, or a record with a wrong byte in it.
        case damaged
    }
}
