/// A name in a directory: bytes, because two equal Swift strings may be the names of two files.
typealias FileName = [UInt8]

/// The names in a directory: as processes see them, and as they are on the medium.
struct DirectoryContents: Sendable {
    /// A change that reaches the medium completely or not at all: a renaming removes one name and adds another at once.
    private struct Change: Sendable {
        var removed: FileName?
        var added: (name: FileName, inode: UInt64)?
    }

    /// The names that processes see.
    private(set) var entries: [FileName: UInt64] = [:]
    /// The names that certainly survive a power failure.
    private var durable: [FileName: UInt64] = [:]
    private var changes: [Change] = []
    /// The directory that contains this one; the root contains itself.
    var parent: UInt64

    init(parent: UInt64) { self.parent = parent }

    mutating func set(_ name: FileName, to inode: UInt64) { make(Change(added: (name, inode))) }

    mutating func remove(_ name: FileName) { make(Change(removed: name)) }

    mutating func rename(_ name: FileName, to newName: FileName) {
        guard let inode = entries[name] else { return }
        make(Change(removed: name, added: (newName, inode)))
    }

    private mutating func make(_ change: Change) {
        Self.apply(change, to: &entries)
        changes.append(change)
    }

    /// Makes all names durable.
    mutating func synchronize() {
        durable = entries
        changes = []
    }

    /// Decides which changes have reached the medium. A change may reach it before an earlier one does.
    mutating func failPower(using generator: inout SeededGenerator) {
        if !changes.isEmpty {
            let odds = SurvivalOdds(using: &generator)
            for change in changes where odds.survives(using: &generator) { Self.apply(change, to: &durable) }
        }
        changes = []
        entries = durable
    }

    /// The names that a power failure can leave: each choice of ``SurvivingChanges`` among the changes that matter to programs that
    /// use only some of the names. These are the changes of those names, and the second names of files.
    func afterPowerFailure(using names: Set<FileName>) -> [DirectoryContents] {
        var known = Set(durable.values)
        let isRelevant = changes.map { change in
            let isSecondName = change.removed == nil && change.added.map { known.contains($0.inode) } ?? false
            if let added = change.added { known.insert(added.inode) }
            return isSecondName || change.removed.map(names.contains) ?? false
                || change.added.map { names.contains($0.name) } ?? false
        }
        let relevant = changes.indices.filter { isRelevant[$0] }
        var found: Set<[FileName: UInt64]> = []
        var list: [DirectoryContents] = []
        for survives in SurvivingChanges.choices(among: relevant.count) {
            let lost = Set(relevant.enumerated().filter { !survives($0.offset) }.map(\.element))
            var contents = self
            for (index, change) in changes.enumerated() where !lost.contains(index) {
                Self.apply(change, to: &contents.durable)
            }
            let used = Set(names.compactMap { contents.durable[$0] })
            guard found.insert(contents.durable.filter { used.contains($0.value) }).inserted else { continue }
            contents.changes = []
            contents.entries = contents.durable
            list.append(contents)
        }
        return list
    }

    /// Removes the second name of a directory, here and on the medium.
    mutating func forget(_ name: FileName) {
        entries[name] = nil
        durable[name] = nil
    }

    /// The inodes that can have a name here after a power failure.
    var recoverable: Set<UInt64> { Set(durable.values).union(changes.compactMap { $0.added?.inode }) }

    private static func apply(_ change: Change, to entries: inout [FileName: UInt64]) {
        if let name = change.removed { entries[name] = nil }
        if let (name, inode) = change.added { entries[name] = inode }
    }
}
