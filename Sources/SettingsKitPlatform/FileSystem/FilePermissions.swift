/// The owner, group and mode of a file.
package struct FilePermissions: Equatable, Sendable {
    package var owner: UInt32
    package var group: UInt32
    /// The permission bits, for example `0o600`.
    package var mode: UInt16

    package init(owner: UInt32, group: UInt32, mode: UInt16) {
        self.owner = owner
        self.group = group
        self.mode = mode & 0o777
    }

    /// The group's bits for reading and writing.
    package var groupAccess: UInt16 { mode >> 3 & 0o6 }
    /// The bits for reading and writing of all other users.
    package var othersAccess: UInt16 { mode & 0o6 }

    /// The bit for writing in ``groupAccess`` and ``othersAccess``.
    package static let writing: UInt16 = 0o2

    /// Whether more people can read or write a file with these permissions than one with `other`, owners aside.
    ///
    /// - Parameter bits: The kinds of access to compare.
    package func isWider(than other: FilePermissions, in bits: UInt16 = 0o6) -> Bool {
        let allowedForGroup = group == other.group ? other.groupAccess : other.othersAccess
        return (othersAccess & ~other.othersAccess | groupAccess & ~allowedForGroup) & bits != 0
    }
}

extension FileSystem {
    /// Gives a new file the permissions of the file that it accompanies or replaces, as far as the system allows.
    ///
    /// Only the superuser can give a file to another owner. A member of a group can give a file to that group. If the
    /// group cannot be kept, its bits become those of all other users, because they would be another group's.
    ///
    /// - Parameter new: The current permissions of the file.
    func copy(_ permissions: FilePermissions, to file: FileHandle, having new: FilePermissions) throws(SystemError) {
        var mode = permissions.mode
        var (isOwnerKept, isGroupKept) = (new.owner == permissions.owner, new.group == permissions.group)
        if !isOwnerKept { isOwnerKept = try changeOwner(of: file, to: permissions.owner) }
        if !isGroupKept { isGroupKept = try changeGroup(of: file, to: permissions.group) }
        // This user owns the file, and must be able to use it.
        if !isOwnerKept { mode |= 0o600 }
        if !isGroupKept { mode = mode & ~0o070 | mode << 3 & 0o070 }
        if mode != new.mode { try changeMode(of: file, to: mode) }
    }

    /// Gives a new file its permissions.
    ///
    /// - Parameters:
    ///   - permissions: Those of the file that it accompanies or replaces; nil if there is none.
    ///   - path: Its path.
    package func setPermissions(
        of file: FileHandle, like permissions: FilePermissions?, inDirectoryOf path: String
    ) throws(SystemError) {
        if let permissions {
            try copy(permissions, to: file, having: status(of: file).permissions)
        } else if user == 0,
            let directory = try status(of: WholeFile.split(path).directory, followingLink: true)?.permissions
        {
            try giveToOwner(of: directory, file)
        }
    }

    /// Gives a file that the superuser has created to the owner of its directory: a program that runs once as root must
    /// not lock out its user.
    func giveToOwner(of directory: FilePermissions, _ file: FileHandle) throws(SystemError) {
        guard user == 0, directory.owner != 0 else { return }
        _ = try changeOwner(of: file, to: directory.owner)
        _ = try changeGroup(of: file, to: directory.group)
    }
}
