#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A change of one setting.
package struct JournalChange: Sendable, Equatable {
    package var name: String
    /// Nil for a removal.
    package var data: Data?
}

/// An edit of a property list: the removed names, and the set members as a separate property list.
package struct JournalEdit: Sendable, Equatable {
    package var removed: [String]
    package var members: Data

    package init(removed: [String], members: Data) {
        self.removed = removed
        self.members = members
    }
}

/// A record of a journal. It applies completely or, if its bytes are incomplete, not at all.
package enum JournalRecord: Sendable, Equatable {
    /// The sets and removals of a batch, in order.
    case changes([JournalChange])
    /// A batch that sets members of the property list with their types, which their bytes do not show.
    case members(JournalEdit)
    /// The property list now contains everything up to the offset `through` of this journal; `file` is its state.
    case fold(through: UInt64, file: FileVersion)
    /// Another program edited the property list, whose state is `file`.
    case adoption(file: FileVersion, JournalEdit)
    /// Another journal is about to replace this one. That may not happen, but a process that reads this record must check whether
    /// this is still the journal at its path before it appends.
    case end
    /// How to create the property list from the file that it replaced, which is kept beside it: from `base`, or from
    /// nothing if that is nil. It is used only if the property list is damaged.
    case restore(base: FileDigest?, JournalEdit)
}
