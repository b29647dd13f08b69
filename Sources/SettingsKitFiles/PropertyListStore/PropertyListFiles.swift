import SettingsKitCore
import SettingsKitPlatform

/// A property list and its journal: the files, and this process's knowledge of them. One thread at a time uses them.
struct PropertyListFiles {
    let file: WholeFile
    /// The path of `file`, with symbolic links followed. The journal is beside it.
    let target: String
    let journalPath: String
    /// Whether this process has written here, or wants to. Before that, it changes nothing in the directory.
    var isWriting = false
    var list = KnownPropertyList()
    var cursor = JournalCursor()
    var lock: JournalLock
    /// Whether the property list was edited since it was last folded here.
    var isEdited = false
    /// The end of this process's last change, in the history of journals.
    var ownPosition: Int64 = 0
    /// Whether changes are pending.
    var hasPending = false
    /// The changes that are being published. The memory is reused by later changes.
    var changes: [SettingsStoreChange] = []
    /// Errors to report when the locks are released.
    var problems: [SettingsError] = []
    /// Whether temporary files of dead processes were removed.
    var hasCleanedUp = false

    init(file: WholeFile, target: String) {
        self.file = file
        self.target = target
        journalPath = FilesBeside.journal(target)
        lock = JournalLock(beside: target)
    }

    /// Flushes the directory, so that a power failure cannot undo the property list but keep later writes.
    mutating func flushDirectory() throws(SystemError) {
        guard !list.has(.ordered), list.status != nil else { return }
        let reached: Flush
        do throws(SystemError) {
            reached = try file.flushDirectory(.ordered)
        } catch {
            // A second flush can succeed although the first one has lost data. A new file is a new attempt.
            list.requireRewrite()
            throw error
        }
        list.didFlush(list.status, reached)
    }
}
