/// The relation of a journal to the property list beside it.
///
/// The two are replaced one after the other, and a person may replace one by an older file, or by one of another
/// program. The property list's mark names its journal. The journal's header names the mark from which it continues.
package enum JournalRelation: Sendable, Equatable {
    /// The journal continues the property list. Records after the offset are not in the property list; nil if the mark
    /// does not give the offset.
    case continues(folded: UInt64?)
    /// The property list contains all of the journal: a process died, or the power failed, before the next journal was
    /// in place.
    case isFolded
    /// The journal belongs to another property list.
    case isForeign
    /// The journal is older than the property list.
    case isStale
    /// The property list is older than the journal.
    case listIsStale

    /// - Parameters:
    ///   - end: The offset after the last record.
    ///   - mark: The property list's mark; nil if it has none, because another program has written it, which is an
    ///     edit.
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
            // The header is lost. A journal that the mark does not name may belong to another property list.
            self = .isStale
        } else if mark.list != header.list {
            self = .isForeign
        } else {
            self = mark.generation < header.generation ? .listIsStale : .isStale
        }
    }
}
