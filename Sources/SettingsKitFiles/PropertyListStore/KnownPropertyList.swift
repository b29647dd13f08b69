import SettingsKitCore
import SettingsKitPlatform

/// The property list's file, in the state in which this process last read or wrote it.
///
/// The journal names the states in which processes have read or written the file, so that other processes need not read it.
struct KnownPropertyList: Sendable {
    /// The file's state. Nil while there is no file.
    private(set) var status: FileStatus?
    /// The checksum of the file's bytes in that state. Nil if it is not known.
    private(set) var checksum: UInt32?
    /// The file's permissions when they were last examined.
    private(set) var permissions: FilePermissions?
    /// The state that the journal names last.
    private var journaledStatus: FileStatus?
    /// Why the file must be kept aside when it is replaced. Nil if it is intact.
    private(set) var fault: FilesBeside.Reason?
    /// Damage that was found a moment ago. Another program may be in the middle of writing the file.
    private(set) var suspicion: Suspicion?
    /// When the file counts as gone. Nil if it is there, or its absence was taken note of.
    private var absence: Deadline?
    /// How far the file was flushed. Nil if that is not known.
    private var flushed: Flush?
    /// Whether the file must be written again although it lacks no change: it is stale, or could not be synchronized.
    private(set) var mustRewrite = false
    /// The position, in the history of journals, up to which the file contains every change.
    private(set) var folded: Int64 = 0
    /// The file's mark. Nil if it has none.
    private(set) var mark: JournalMark?
    /// What the next journal begins with, if this process was the last to replace the file.
    private(set) var replacement: Replacement?

    struct Replacement: Sendable {
        /// The record that restores the file. Nil if the file that was replaced could not be kept.
        let restore: JournalRecord?
    }

    struct Suspicion: Sendable {
        let damage: PropertyListError
        /// The intact members.
        let members: [PropertyListMember]
        /// When the damage counts as permanent.
        let end: Deadline
    }

    /// Whether the journal does not name the file's state: the file was edited, and other processes may have read it in
    /// another state, or not at all.
    var isUnjournaled: Bool { status != nil && status != journaledStatus }

    /// Identifies the file's bytes. Nil if there is no file, or its checksum is not known.
    var digest: FileDigest? {
        guard let status, let checksum else { return nil }
        return FileDigest(size: status.size, checksum: checksum)
    }

    /// The file's intact state, for a journal's record. Nil if the file is missing or damaged.
    var intactVersion: FileVersion? {
        guard fault == nil, let status, let checksum else { return nil }
        return FileVersion(status: status, checksum: checksum)
    }

    // MARK: Reading the file

    /// Notes that the file was found intact, in a certain state.
    mutating func find(_ version: FileVersion) {
        status = version.status
        checksum = version.checksum
        fault = nil
        suspicion = nil
        absence = nil
        flushed = nil
        replacement = nil
    }

    /// Notes that there is no file.
    ///
    /// - Parameter absence: When it counts as gone.
    mutating func findNothing(until absence: Deadline) {
        status = nil
        self.absence = absence
        fault = nil
        suspicion = nil
        mark = nil
    }

    /// Notes that the file was found damaged, perhaps because another program is writing it.
    mutating func suspect(_ status: FileStatus, _ suspicion: Suspicion) {
        self.status = status
        fault = .damaged
        self.suspicion = suspicion
        absence = nil
    }

    /// Returns whether the file has just become one that is gone.
    ///
    /// - Parameter atOnce: Whether it counts as gone now.
    mutating func takeAbsence(atOnce: Bool) -> Bool {
        guard let absence, atOnce || absence.hasPassed else { return false }
        self.absence = nil
        return true
    }

    /// Returns the suspicion, and ends it, if the damage counts as permanent.
    ///
    /// - Parameter atOnce: Whether it counts as permanent now.
    mutating func takeSuspicion(atOnce: Bool) -> Suspicion? {
        guard let suspicion, atOnce || suspicion.end.hasPassed else { return nil }
        defer { self.suspicion = nil }
        return suspicion
    }

    /// Notes that the file is damaged for good.
    mutating func setDamaged() { fault = .damaged }

    /// Notes that the file is older than the journal says.
    mutating func setStale() {
        fault = .stale
        mustRewrite = true
    }

    /// Notes the file's permissions.
    ///
    /// - Returns: whether they have changed.
    mutating func note(_ permissions: FilePermissions) -> Bool {
        defer { self.permissions = permissions }
        return self.permissions.map { $0 != permissions } ?? false
    }

    mutating func note(_ mark: JournalMark?) { self.mark = mark }

    // MARK: The journal

    /// Whether the journal names a state last.
    func isJournaled(_ status: FileStatus) -> Bool { status == journaledStatus }

    /// Notes that the journal names the file's present state.
    mutating func setJournaled() { journaledStatus = status }

    /// Notes that the journal names a state of the file, or none.
    mutating func setJournaled(as version: FileVersion?) { journaledStatus = version?.status }

    /// Notes that another process names a state of the file in the journal.
    ///
    /// If that process could not know what is in memory here, because it comes from an edit that it has not seen, the
    /// file must be read all the same.
    mutating func receive(_ version: FileVersion) {
        if !isUnjournaled { find(version) }
        journaledStatus = version.status
    }

    /// Notes that the file contains every change up to a position.
    mutating func noteFolded(through position: Int64) { folded = max(folded, position) }

    /// Notes that a new journal was begun, which repeats what the file lacks.
    mutating func didBeginJournal() {
        setJournaled()
        replacement = nil
    }

    // MARK: Writing the file

    /// Notes that this process has replaced the file.
    mutating func didReplace(with version: FileVersion, mark: JournalMark?, through position: Int64) {
        find(version)
        permissions = version.status.permissions
        self.mark = mark
        noteFolded(through: position)
        mustRewrite = false
    }

    /// Notes what the next journal begins with, after this process has replaced the file.
    mutating func note(_ replacement: Replacement) { self.replacement = replacement }

    /// Has the file written again although it lacks no change.
    mutating func requireRewrite() { mustRewrite = true }

    /// Whether the file was flushed that far.
    func has(_ flush: Flush) -> Bool { flushed.map { $0 >= flush } ?? false }

    /// Notes how far a state of the file was flushed.
    mutating func didFlush(_ status: FileStatus?, _ flush: Flush) {
        if self.status == status { flushed = flush }
    }
}
