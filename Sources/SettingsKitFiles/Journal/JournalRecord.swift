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

/// The names that an edit removes from a property list, and the members that it sets, as a property list of their own.
package struct JournalEdit: Sendable, Equatable {
    package var removed: [String]
    package var members: Data

    package init(removed: [String], members: Data) {
        self.removed = removed
        self.members = members
    }
}

/// One entry of a journal. It applies as a whole or, where its bytes are not whole, not at all.
package enum JournalRecord: Sendable, Equatable {
    /// What a batch of sets and removals did, in their order.
    case changes([JournalChange])
    /// The property list now holds everything up to the offset `through` of this journal; `file` is its state.
    case fold(through: UInt64, file: FileVersion)
    /// Another program edited the property list, whose state is `file`.
    case adoption(file: FileVersion, JournalEdit)
    /// Another journal takes the place of this one now. It says nothing by itself, for that may not come about; but a
    /// process that reads it checks whether this still is the journal at its path before it appends to it.
    case end
    /// What makes the property list of the file that it replaced, which is kept beside it: `base`, or nothing if that is
    /// nil. Only where the property list is damaged is it of use.
    case restore(base: FileDigest?, JournalEdit)
}
