/// An external edit of the file.
struct PropertyListEdit: Sendable {
    var removed: [String] = []
    var members: [PropertyListMember] = []

    var isEmpty: Bool { removed.isEmpty && members.isEmpty }
}

/// The contents of a store at one moment.
struct PropertyListPicture: Sendable {
    let settled: [String: PropertyListContents.Stored]
    let changed: [String: PropertyListContents.Changed]
    let lookalikes: [String: [PropertyListMember]]

    /// The file's members, sorted by name; of equal names, the one that counts is the last.
    func members() -> [PropertyListMember] {
        var members = lookalikes.values.flatMap { $0 }
        members.reserveCapacity(settled.count + changed.count + members.count)
        for (name, stored) in settled where changed.isEmpty || changed[name] == nil {
            members.append(PropertyListMember(key: name, value: stored.value))
        }
        for (name, change) in changed {
            if let stored = change.stored {
                members.append(.init(key: settled.spelling(of: name) ?? name, value: stored.value))
            }
        }
        // Sorting keeps the order of equal names.
        return members.sorted { $0.key < $1.key }
    }

    /// The difference between the file's future members and those of the file that has everything up to `position`.
    func edit(since position: Int64) -> PropertyListEdit {
        var edit = PropertyListEdit()
        for (name, change) in changed where change.position > position {
            if let stored = change.stored {
                edit.members += lookalikes[name] ?? []
                edit.members.append(PropertyListMember(key: settled.spelling(of: name) ?? name, value: stored.value))
            } else {
                edit.removed.append(name)
            }
        }
        return edit
    }

    // MARK: Restoring

    /// Returns the record that creates the property list from nothing. Nil if it is too large for a journal.
    func restore(limits: PropertyListStoreLimits) throws -> JournalRecord? {
        try Self.restore(PropertyListEdit(members: members()), base: nil, limits)
    }

    /// Returns the record that creates the property list from the file that it replaces. Nil if it is too large for a journal.
    ///
    /// - Parameters:
    ///   - folded: The position up to which that file contains every change.
    ///   - base: Identifies that file.
    func restore(after folded: Int64, base: FileDigest, limits: PropertyListStoreLimits) throws -> JournalRecord? {
        try Self.restore(edit(since: folded), base: base, limits)
    }

    private static func restore(
        _ edit: PropertyListEdit, base: FileDigest?, _ limits: PropertyListStoreLimits
    ) throws -> JournalRecord? {
        let members = try XMLPropertyListWriter.write(edit.members)
        guard members.count < limits.journal / 4 else { return nil }
        return .restore(base: base, JournalEdit(removed: edit.removed, members: members))
    }
}
