/// A record and the offset of its end in the file.
package struct JournalEntry: Sendable, Equatable {
    package var record: JournalRecord
    package var end: UInt64
}

/// The contents of a journal from an offset on.
package struct JournalScan: Sendable, Equatable {
    /// The complete records, in order.
    package var records: [JournalEntry] = []
    /// The offset after the last of them, or the beginning of the scan if there is none.
    package var end: UInt64
    /// The bytes that follow ``end``.
    package var rest = Rest.nothing
    /// The bytes between complete records, in order.
    package var damaged: [Range<UInt64>] = []
    /// The journal of the records; nil if it is unknown because there are no records.
    package var journal: UInt64?

    package enum Rest: Sendable, Equatable {
        case nothing
        /// The beginning of a record whose writer is still writing or has died; or only zeros, as in a file whose size was
        /// written before its bytes.
        case incomplete
        /// Not the beginning of a record, or a damaged record.
        case damaged
    }
}
