/// How a journal belongs to the property list that it lies beside.
///
/// The two are replaced one after the other, and a person may put older ones, or those of another program, in their
/// places. The property list's mark names its journal; the journal's header names the mark that it goes on from.
package enum JournalRelation: Sendable, Equatable {
    /// The journal goes on from the property list. What comes after the offset is not in the property list; nil if the mark
    /// does not say the offset.
    case continues(folded: UInt64?)
    /// The property list holds everything that the journal has: a process died, or the power failed, before the next journal
    /// was in its place.
    case isFolded
    /// The journal is another property list's.
    case isForeign
    /// The journal is from an earlier time than the property list.
    case isStale
    /// The property list is from an earlier time than the journal.
    case listIsStale

    /// - Parameters:
    ///   - end: The offset behind the last record.
    ///   - mark: That of the property list; nil where it has none: then another program has written it, which is an edit.
    package init(of header: JournalHeader, end: UInt64, to mark: JournalMark?) {
        guard let mark else {
            self = .continues(folded: nil)
            return
        }
        if mark.journal == header.id {
            self = mark.offset > end ? .isFolded : .continues(folded: mark.offset)
        } else if mark.predecessor == header.id {
            self = .isFolded
        } else if header.base == mark.journal {
            self = mark.offset < header.baseOffset ? .listIsStale : .continues(folded: nil)
        } else if header.list == 0 {
            // The header is lost. What the mark does not name is not known to belong to it.
            self = .isStale
        } else if mark.list != header.list {
            self = .isForeign
        } else {
            self = mark.generation < header.generation ? .listIsStale : .isStale
        }
    }
}
