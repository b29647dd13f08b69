import SettingsKitCore
import SettingsKitPlatform

extension JournaledPropertyList {
    /// What is known of the files.
    struct Access: Sendable {
        var file: WholeFile
        /// The file that `file` is, with symbolic links followed. The journal is beside it.
        let target: String
        let journalPath: String
        /// Whether this process has written here, or wants to. Until then it leaves everything in the directory alone.
        var isWriting = false

        // The property list.

        /// The property list when it was last read or written; nil while there was none.
        var fileStatus: FileStatus?
        /// The check of its bytes then; nil if it is not known.
        var fileChecksum: UInt32?
        /// Its permissions when they were last looked at.
        var permissions: FilePermissions?
        /// The state of it that the journal names last.
        var toldStatus: FileStatus?
        /// Why it must be kept aside when it is replaced; nil if it is all right.
        var fileFault: FilesBeside.Reason?
        /// What was found wrong with it a moment ago; another program may be in the middle of writing it.
        var suspicion: Suspicion?
        /// Whether the property list is known to survive a power failure.
        var isFileDurable = false
        /// Whether it must be written again although nothing has changed: it could not be synchronised.
        var mustRewrite = false
        /// Up to where, in the history of journals, the property list has everything.
        var folded: Int64 = 0
        /// The property list's mark; nil if it has none.
        var mark: JournalMark?
        /// What the mark and the journals' headers call the property list; 0 while it has no name.
        var list: UInt64 = 0
        /// The generation of the latest journal.
        var generation: UInt64 = 0
        /// What the next journal begins with, if this process was the last to replace the property list.
        var replacement: Replacement?

        // The journal.

        /// nil while there is none that can be used.
        var journal: Journal?
        /// The journal that was followed before, when none is open; nil if there was none.
        var left: LeftJournal?
        /// Why what is at the journal's path is not used; nil if it is, or if nothing is there.
        var journalProblem: JournalProblem?
        /// Up to when the journal's lock, which was waited for in vain, is not waited for again.
        var busyUntil = Deadline(after: .zero)
        /// Up to when the journal is taken to be the one at its path, unless it has grown; nil if it is not.
        var trustedUntil: Deadline?
        /// The length at which the journal is rewritten, with one record for each name.
        var rewriteLength: Int64 = 0

        /// The bytes that are about to be appended; kept, so that not every change needs new memory.
        var buffer: [UInt8] = []
        /// What is to be reported when the locks are released.
        var problems: [SettingsError] = []
        var forkCount = Fork.count
        /// Whether files that dead processes left behind were looked for.
        var hasCleanedUp = false

        init(file: WholeFile, target: String) {
            self.file = file
            self.target = target
            journalPath = FilesBeside.journal(target)
        }

        /// Whether it was read in a state that the journal does not name: it was edited, and other processes may have seen
        /// it in another state, or not at all.
        var isFileUntold: Bool { fileStatus != nil && fileStatus != toldStatus }

        /// The present property list's contents, as far as they are known; nil if there is none.
        var fileDigest: FileDigest? {
            guard let fileStatus, let fileChecksum else { return nil }
            return FileDigest(size: fileStatus.size, checksum: fileChecksum)
        }

        /// The end of the last journal, in the history of journals.
        var history: Int64 { journal?.historyPosition ?? left?.end ?? 0 }

        /// Notes that the property list is intact, in a certain state.
        mutating func didFind(_ version: FileVersion) {
            fileStatus = version.status
            fileChecksum = version.checksum
            fileFault = nil
            suspicion = nil
            isFileDurable = false
            replacement = nil
        }

        /// Notes that another process names a state of the property list.
        ///
        /// If that process could not know what is in memory here, because it comes from an edit that it has not seen, the
        /// property list must be read all the same.
        mutating func wasTold(_ version: FileVersion) {
            if !isFileUntold { didFind(version) }
            toldStatus = version.status
        }
    }

    /// A journal that is not open any more.
    struct LeftJournal: Sendable {
        let header: JournalHeader
        let condition: Journal.Condition
        /// What is added to an offset in it to get a position in the history of journals.
        let base: Int64
        /// Up to where it was read, in the history of journals.
        let end: Int64
        /// Whether it may have got more since, which is not in memory.
        let isEarly: Bool
    }

    /// What a journal begins with that follows a replacement of the property list.
    struct Replacement: Sendable {
        /// nil if the file that was replaced could not be kept.
        let restore: JournalRecord?
    }

    struct Suspicion: Sendable {
        let damage: PropertyListError
        /// The members that are intact.
        let members: [PropertyListMember]
        let end: Deadline
    }
}

/// How much may be stored in a property list.
package struct PropertyListStoreLimits: Sendable {
    /// The bytes of all names and values together.
    package var contents = 256 << 20
    /// The length of the journal, while it can be neither folded nor rewritten.
    package var journal = Int(Journal.sizeLimit)
    /// The length of the journal at which it is rewritten, with one record for each name, because it was not folded.
    package var rewrite = 64 << 20

    package init() {}
}
