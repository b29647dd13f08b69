import SettingsKitCore
import SettingsKitPlatform

/// The property list's file, in the state last read or written by this process.
///
/// The journal names the states that processes have read or written, so that other processes need not read the file.
struct KnownPropertyList: Sendable {
    /// The file's state. Nil while there is no file.
    private(set) var status: FileStatus?
    /// The checksum of the file's bytes in that state. Nil if it is unknown.
    private(set) var checksum: UInt32?
    /// The file's permissions at the last check.
    private(set) var permissions: FilePermissions?
    /// The last state named in the journal.
    private var journaledStatus: FileStatus?
    /// The reason why the file must be kept aside when it is replaced. Nil if it is intact.
    private(set) var fault: FilesBeside.Reason?
    /// Damage that was just found. Another program may be writing the file.
    private(set) var suspicion: Suspicion?
    /// The time at which the file counts as gone. Nil if it exists, or its absence was confirmed.
    private var absence: Deadline?
    /// The safety of the file after its last flush. Nil if it is unknown.
    private var flushed: Flush?
    /// Whether the file must be written although it is complete: it is stale, or could not be synchronized.
    private(set) var mustRewrite = false
    /// Whether the file was edited since this process last replaced it.
    private(set) var isEdited = false
    /// The position, in the history of journals, up to which the file contains every change.
    private(set) var folded: Int64 = 0
    /// The file's mark. Nil if it has none.
    private(set) var mark: JournalMark?
    /// The beginning of the next journal, if this process was the last to replace the file.
    private(set) var replacement: Replacement?

    struct Replacement: Sendable {
        /// The record that restores the file. Nil if the replaced file could not be kept.
        let restore: JournalRecord?
    }

    struct Suspicion: Sendable {
        let damage: PropertyListError
        /// The time at which the damage counts as permanent.
        let end: Deadline
    }

    /// Whether the journal does not name the file's state: the file was edited, and other processes may have read it in another
    /// state, or not at all.
    var isUnjournaled: Bool { status != nil && status != journaledStatus }

    /// Whether the file is there, undamaged, and need not be written for a reason of its own.
    var isIntact: Bool { status != nil && fault == nil && !mustRewrite }

    /// Identifies the file's bytes. Nil if there is no file, or its checksum is unknown.
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

    /// Records that the file was found intact, in a given state.
    mutating func find(_ version: FileVersion) {
        status = version.status
        checksum = version.checksum
        fault = nil
        suspicion = nil
        absence = nil
        flushed = nil
        replacement = nil
    }

    /// Records that an edit in the file was adopted.
    mutating func adopt(_ version: FileVersion) {
        find(version)
        isEdited = true
    }

    /// Records that there is no file.
    ///
    /// - Parameter absence: The time at which it counts as gone.
    mutating func findNothing(until absence: Deadline) {
        status = nil
        self.absence = absence
        fault = nil
        suspicion = nil
        mark = nil
    }

    /// Records that the file was found damaged, perhaps because another program is writing it.
    mutating func suspect(_ status: FileStatus, _ suspicion: Suspicion) {
        self.status = status
        fault = .damaged
        self.suspicion = suspicion
        absence = nil
    }

    /// Ends the waiting for a missing file. Returns whether the file now counts as gone.
    ///
    /// - Parameter atOnce: Whether it counts as gone immediately.
    mutating func confirmAbsence(atOnce: Bool) -> Bool {
        guard let absence, atOnce || absence.hasPassed else { return false }
        self.absence = nil
        return true
    }

    /// Ends the suspicion, and returns it, if the damage counts as permanent.
    ///
    /// - Parameter atOnce: Whether it counts as permanent immediately.
    mutating func confirmDamage(atOnce: Bool) -> Suspicion? {
        guard let suspicion, atOnce || suspicion.end.hasPassed else { return nil }
        defer { self.suspicion = nil }
        return suspicion
    }

    /// Records that the file is permanently damaged.
    mutating func setDamaged() { fault = .damaged }

    /// Records that the file is older than the journal's last state.
    mutating func setStale() {
        fault = .stale
        mustRewrite = true
    }

    /// Updates the file's permissions.
    ///
    /// - Returns: whether they have changed.
    mutating func update(_ permissions: FilePermissions) -> Bool {
        defer { self.permissions = permissions }
        return self.permissions.map { $0 != permissions } ?? false
    }

    mutating func setMark(_ mark: JournalMark?) { self.mark = mark }

    // MARK: The journal

    /// Whether a state is the last one named in the journal.
    func isJournaled(_ status: FileStatus) -> Bool { status == journaledStatus }

    /// Records that the journal names the file's current state.
    mutating func setJournaled() { journaledStatus = status }

    /// Records that the journal names a state of the file, or none.
    mutating func setJournaled(as version: FileVersion?) { journaledStatus = version?.status }

    /// Records that another process names a state of the file in the journal.
    ///
    /// If memory contains an edit that the other process may not have seen, the file must still be read.
    mutating func receive(_ version: FileVersion) {
        if !isUnjournaled { find(version) }
        journaledStatus = version.status
    }

    /// Records that the file contains every change up to a position.
    mutating func recordFold(through position: Int64) { folded = max(folded, position) }

    /// Records that a new journal was begun, which repeats the changes that the file lacks.
    mutating func didBeginJournal() {
        setJournaled()
        replacement = nil
    }

    // MARK: Writing the file

    /// Records that this process has replaced the file.
    mutating func didReplace(with version: FileVersion, mark: JournalMark?, through position: Int64) {
        find(version)
        permissions = version.status.permissions
        self.mark = mark
        recordFold(through: position)
        mustRewrite = false
        isEdited = false
    }

    /// Sets the beginning of the next journal, after this process has replaced the file.
    mutating func setReplacement(_ replacement: Replacement) { self.replacement = replacement }

    /// Requires that the file is written again although it is complete.
    mutating func requireRewrite() { mustRewrite = true }

    /// Flushes the directory of the file, if it is there and was not flushed to this degree.
    ///
    /// - Parameter file: The file.
    mutating func flush(_ file: WholeFile, _ flush: Flush) throws(SystemError) {
        guard !has(flush), let status else { return }
        let reached: Flush
        do throws(SystemError) {
            reached = try file.flushDirectory(flush)
        } catch {
            // A second flush can succeed although the first one has lost data. A new file is a new attempt.
            requireRewrite()
            throw error
        }
        didFlush(status, reached)
    }

    /// Whether the file was flushed to this degree.
    func has(_ flush: Flush) -> Bool { flushed.map { $0 >= flush } ?? false }

    /// Records the safety of a state of the file.
    mutating func didFlush(_ status: FileStatus?, _ flush: Flush) {
        if self.status == status { flushed = flush }
    }
}
