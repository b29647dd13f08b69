/// Decides whether the file at a journal's path may be used as the journal.
///
/// The name is known to everyone who can write into the directory, so what is there may have been put there to have values
/// written to a place that others read, or to have a file of another program written into.
struct JournalProtection {
    /// nil where there is no property list.
    var list: FilePermissions?
    /// The user whose rights the process has.
    var user: UInt32

    /// How open a journal may be where there is no property list: one that everyone could read may have been removed.
    private static let widest: UInt16 = 0o644

    /// What is wrong with the file; nil if it may be used.
    ///
    /// - Parameter directory: The permissions of its directory; asked only where they matter.
    func problem(
        with journal: FileStatus, directory: () throws(SystemError) -> FilePermissions?
    ) throws(SystemError) -> JournalProblem? {
        guard journal.kind == .file else { return .notAFile }
        // None is a journal that was replaced a moment ago.
        guard journal.linkCount <= 1 else { return .hardLink }
        let permissions = journal.permissions
        if ![0, user, list?.owner].contains(permissions.owner) {
            let directory = try directory()
            guard directory?.owner == permissions.owner || isSharedByGroup(permissions, directory) else {
                return .foreignOwner
            }
        }
        let allowed = list ?? FilePermissions(owner: permissions.owner, group: permissions.group, mode: Self.widest)
        return permissions.isWider(than: allowed) ? .tooOpen : nil
    }

    /// Whether the members of a group use the property list together: any of them may have written the journal.
    private func isSharedByGroup(_ journal: FilePermissions, _ directory: FilePermissions?) -> Bool {
        guard let list, let directory else { return false }
        return list.groupAccess & 0o2 != 0 && directory.groupAccess & 0o2 != 0 && journal.group == list.group
    }
}
