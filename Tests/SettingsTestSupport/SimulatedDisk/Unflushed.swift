/// The contents of a file or of a directory.
protocol DiskContents: Sendable {
    associatedtype Change: Sendable

    mutating func apply(_ change: Change)
}

/// Contents as processes see them, and as they are on the medium.
///
/// The two differ by the changes since the last flush. When the power fails, each of them has reached the medium or not, whatever its
/// order. Only flushed changes are certain to survive.
struct Unflushed<Contents: DiskContents>: Sendable {
    /// The contents that processes see.
    private(set) var visible: Contents
    /// The contents that certainly survive a power failure.
    private var durable: Contents
    private(set) var changes: [Contents.Change] = []

    /// Creates contents that survive.
    init(_ contents: Contents) { (visible, durable) = (contents, contents) }

    mutating func make(_ change: Contents.Change) {
        visible.apply(change)
        changes.append(change)
    }

    /// Makes the changes since the last flush durable, and only those: changes that a failed flush lost leave a gap.
    mutating func flush() {
        for change in changes { durable.apply(change) }
        changes = []
    }

    /// The effect of a failed flush, as on Linux: the changes count as written although they were not, so that no later flush writes
    /// them. Reading still sees them.
    mutating func loseChanges() { changes = [] }

    /// The contents that a power failure leaves if these of the changes have reached the medium.
    func surviving(_ survives: (Int) -> Bool) -> Contents {
        var contents = durable
        for (index, change) in changes.enumerated() where survives(index) { contents.apply(change) }
        return contents
    }

    /// The same, chosen at random. One half for each change would be wrong: of many changes, all or none would hardly ever survive.
    func surviving(using generator: inout SeededGenerator) -> Contents {
        let quarters = Int.random(in: 0...4, using: &generator)
        return surviving { _ in Int.random(in: 0..<4, using: &generator) < quarters }
    }

    /// Chooses which of some changes survive a power failure: every choice of a few changes. Of many, those that a program can be wrong
    /// about: the first changes survive, as on a medium that keeps their order; one is missing, on which later ones depend; and one
    /// survives without those before it.
    static func choices(among count: Int) -> [(Int) -> Bool] {
        if count <= 5 { return (0..<(1 << count)).map { chosen in { chosen & 1 << $0 != 0 } } }
        let prefixes: [(Int) -> Bool] = (0...count).map { length in { $0 < length } }
        let single: [(Int) -> Bool] = (0..<count).map { index in { $0 == index } }
        let missing: [(Int) -> Bool] = (0..<count).map { index in { $0 != index } }
        return prefixes + missing + single
    }
}

/// The bytes of a file.
struct FileBytes: DiskContents, Hashable {
    enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case resize(Int)
    }

    private(set) var bytes: [UInt8] = []

    mutating func apply(_ change: Change) {
        switch change {
        case .write(let offset, let new):
            if bytes.count < offset { resize(to: offset) }
            bytes.replaceSubrange(offset..<min(bytes.count, offset + new.count), with: new)
        case .resize(let size): resize(to: size)
        }
    }

    /// Adds zeros, or removes bytes, at the end.
    mutating func resize(to size: Int) {
        if size < bytes.count {
            bytes.removeSubrange(size...)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        }
    }
}

extension Unflushed<FileBytes> {
    /// Writes bytes, of which the medium writes each sector completely or not at all.
    mutating func write(_ bytes: [UInt8], at offset: Int) {
        let sectorSize = 512
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + sectorSize - (offset + start) % sectorSize)
            make(.write(offset: offset + start, bytes: [UInt8](bytes[start..<end])))
            start = end
        }
    }

    /// The contents with zeros up to the size that processes see: a file's size can reach the medium before its bytes do.
    private func lengthened(_ contents: FileBytes) -> FileBytes {
        var longer = contents
        longer.resize(to: max(contents.bytes.count, visible.bytes.count))
        return longer
    }

    func afterPowerFailure(using generator: inout SeededGenerator) -> FileBytes {
        let contents = surviving(using: &generator)
        return Bool.random(using: &generator) ? contents : lengthened(contents)
    }

    /// The contents that a power failure can leave.
    func afterPowerFailure() -> [FileBytes] {
        var found: Set<FileBytes> = []
        return Self.choices(among: changes.count).flatMap { survives in
            let contents = surviving(survives)
            return [contents, lengthened(contents)].filter { found.insert($0).inserted }
        }
    }
}

/// The names in a directory.
struct DirectoryNames: DiskContents {
    /// A change that reaches the medium completely or not at all: a renaming removes one name and adds another at once.
    struct Change: Sendable {
        var removed: String?
        var added: String?
        var inode: Int
    }

    private(set) var entries: [String: Int] = [:]

    mutating func apply(_ change: Change) {
        if let name = change.removed { entries[name] = nil }
        if let name = change.added { entries[name] = change.inode }
    }
}

extension Unflushed<DirectoryNames> {
    /// The names that a power failure can leave, as far as they differ for a program that uses only some of the names. All changes
    /// survive that do not matter to it: those of other names, except second names of files.
    func afterPowerFailure(using names: Set<String>) -> [DirectoryNames] {
        var known = Set(surviving { _ in false }.entries.values)
        let relevant = changes.indices.filter { index in
            let change = changes[index]
            let isNew = known.insert(change.inode).inserted
            return change.removed == nil && !isNew
                || [change.removed, change.added].contains { $0.map(names.contains) ?? false }
        }
        var found: Set<[String: Int]> = []
        return Self.choices(among: relevant.count).compactMap { survives in
            let lost = Set(relevant.indices.filter { !survives($0) }.map { relevant[$0] })
            let contents = surviving { !lost.contains($0) }
            let used = Set(names.compactMap { contents.entries[$0] })
            return found.insert(contents.entries.filter { used.contains($0.value) }).inserted ? contents : nil
        }
    }
}
