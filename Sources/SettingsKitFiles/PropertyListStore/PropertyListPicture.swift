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
}
