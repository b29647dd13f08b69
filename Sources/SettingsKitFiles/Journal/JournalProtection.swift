import SettingsKitPlatform

/// Decides whether the file at a journal's path may be used as the journal.
///
/// Every user who can write to the directory knows the name. So an attacker may have put the file there, to read the appended
/// values, or to have values written into another file.
struct JournalProtection {
    /// nil if there is no property list.
    var list: FilePermissions?
    /// The user whose rights the process has.
    var user: UInt32

    /// The permissions that limit a journal without a property list, because a property list that all users could read may have
    /// been removed.
    private static let widest: UInt16 = 0o644

    /// Returns the problem of the file; nil if it may be used.
    ///
    /// A file that more users can read than the property list may be used, but nothing may be appended to it: the property list's
    /// permissions were restricted later.
    ///
    /// - Parameter directory: The permissions of its directory, read only if they matter.
    func problem(
        with journal: FileStatus, directory: () throws(SystemError) -> FilePermissions?
    ) throws(SystemError) -> JournalProblem? {
        guard journal.kind == .file else { return .notAFile }
        let permissions = journal.permissions
        // A journal without a name was just replaced.
        if journal.linkCount > 1, try !mayHaveSeveralNames(permissions, directory) { return .hardLink }
        if ![0, user, list?.owner].contains(permissions.owner) {
            let directory = try directory()
            guard directory?.owner == permissions.owner || isSharedByGroup(permissions, directory) else {
                return .foreignOwner
            }
        }
        guard permissions.isWider(than: allowed(for: permissions), in: FilePermissions.writing) else { return nil }
        // The members of a group may have shared a property list that was removed.
        if list == nil, permissions.othersAccess & FilePermissions.writing == 0, let directory = try directory(),
            directory.group == permissions.group, directory.groupAccess & FilePermissions.writing != 0
        {
            return nil
        }
        return .tooOpen
    }

    /// Returns the problem of a lock file; nil if it may be used.
    ///
    /// Nothing is written to it. So it may have other names, as in a snapshot of hard links, if they do not let other users lock
    /// it.
    func problem(
        withLock file: FileStatus, directory: () throws(SystemError) -> FilePermissions?
    ) throws(SystemError) -> JournalProblem? {
        if file.linkCount > 1, file.permissions.isWider(than: allowed(for: file.permissions)) { return .hardLink }
        var file = file
        file.linkCount = min(file.linkCount, 1)
        return try problem(with: file, directory: directory)
    }

    /// Whether a journal may have several names, as in a snapshot of hard links. Nothing is appended to it.
    ///
    /// Another user may have given the journal's name to any file that this user owns. So the new files, which contain data read
    /// from it, must be this user's, and no more users may read them.
    private func mayHaveSeveralNames(
        _ journal: FilePermissions, _ directory: () throws(SystemError) -> FilePermissions?
    ) throws(SystemError) -> Bool {
        guard journal.owner == user else { return false }
        guard let list else { return try directory()?.owner == user }
        return list.owner == user && !list.isWider(than: journal)
    }

    /// Whether more people can read the file than the property list.
    func isReadByMore(_ journal: FilePermissions) -> Bool {
        list != nil && journal.isWider(than: allowed(for: journal))
    }

    private func allowed(for journal: FilePermissions) -> FilePermissions {
        list ?? FilePermissions(owner: journal.owner, group: journal.group, mode: Self.widest)
    }

    /// Whether the members of a group share the property list: any of them may have written the journal.
    private func isSharedByGroup(_ journal: FilePermissions, _ directory: FilePermissions?) -> Bool {
        guard let list, let directory else { return false }
        return list.groupAccess & directory.groupAccess & FilePermissions.writing != 0 && journal.group == list.group
    }
}
