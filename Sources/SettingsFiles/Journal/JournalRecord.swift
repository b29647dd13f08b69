#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What became of one setting.
package struct JournalChange: Sendable, Equatable {
    package var name: String
    /// Nil: it was removed.
    package var data: Data?
}

/// One entry of a journal. It applies as a whole or, where its bytes are not whole, not at all.
package enum JournalRecord: Sendable, Equatable {
    /// What a batch of sets and removals did, in their order.
    case changes([JournalChange])
    /// The property list now holds everything up to the offset `through` of this journal; `file` is its state.
    case fold(through: UInt64, file: FileStatus)
    /// Somebody else edited the property list, whose state is `file`: these members were removed, and those in the
    /// property list document `members` were set.
    case adoption(file: FileStatus, removed: [String], members: Data)
    /// Another journal takes the place of this one now. It says nothing by itself, for that may not come about; but whoever
    /// reads it looks whether this still is the one at its path before he appends to it.
    case end
}
