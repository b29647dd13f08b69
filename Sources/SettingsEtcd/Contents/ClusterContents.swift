import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The known contents of the cluster under the prefix, and the program's own writes over them.
///
/// There are three parts, each over the previous one:
/// - the state of the cluster at one revision, from the first read and the watch;
/// - for single names, the answer to a transaction at a later revision;
/// - the program's writes that the cluster has not agreed on yet.
///
/// Only a newer value replaces a value, so that no reader goes back in time. Pure: no lock, no clock, no network.
struct ClusterContents {
    /// The cluster's value of a name.
    struct Known: Equatable {
        /// The key, with the cluster's spelling of the name.
        var key: Data
        var data: Data
        var modRevision: Int64
    }

    /// The cluster's value of a name, or its absence.
    struct Seen: Equatable {
        var known: Known?
        /// The revision of the cluster at that time, if a transaction has shown it; 0 for the state of the watch.
        var revision: Int64 = 0

        /// The revision of the value, or one at which the name had none.
        var lastRevision: Int64 { known?.modRevision ?? revision }
    }

    let range: KeyRange
    /// The revision of the state from the read and the watch; 0 before the first read.
    private(set) var revision: Int64 = 0
    /// The cluster's state at ``revision``.
    private var followed: [String: Known] = [:]
    /// Keys under the prefix that no setting can have, and other spellings of names in ``followed``.
    private var hidden: [Data: Known] = [:]
    /// The knowledge of names from transactions.
    private var ahead: [String: Seen] = [:]
    /// The program's last waiting write of a name.
    private var overlay: [String: Data?] = [:]
    /// The values that readers see.
    private(set) var visible: [String: Data] = [:]
    /// The names whose known values the local file lacks.
    private var unstored: Set<String> = []
    /// Whether the local file lacks the whole state.
    private var isWhollyUnstored = false

    init(range: KeyRange) { self.range = range }

    // MARK: Asking

    /// The cluster's value of a name, without the program's own writes that it has not agreed on.
    func known(_ name: String) -> Known? {
        if let ahead = ahead[name] { return ahead.known }
        return followed[name]
    }

    func modRevision(of name: String) -> Int64 { known(name)?.modRevision ?? 0 }

    func modRevisions(of names: some Sequence<String>) -> [String: Int64] {
        Dictionary(names.map { ($0, modRevision(of: $0)) }) { $1 }
    }

    /// The key of a name, in the cluster's spelling.
    func key(of name: String) -> Data { known(name)?.key ?? range.key(of: name) }

    /// The number of the cluster's keys under the prefix at ``revision``.
    var count: Int64 { Int64(followed.count + hidden.count) }

    /// The newest revision seen, of the whole state or of a single name.
    var newestRevision: Int64 { max(revision, ahead.values.lazy.map(\.revision).max() ?? 0) }

    /// The names whose values differ from the known ones of the same revision. A cluster that was restored from a backup reuses
    /// the revisions lost by the restoration.
    func namesWithReusedRevision(in entries: [ClusterEntry]) -> [String] {
        entries.compactMap { entry in
            guard let name = range.name(in: entry.key), let known = known(name),
                known.modRevision == entry.modRevision, known.data != entry.value
            else { return nil }
            return name
        }
    }

    // MARK: Applying the cluster's state

    /// Replaces the state by one that was read at a later revision, or from a cluster that was restored from a backup.
    ///
    /// - Parameter newest: The newest revision seen before the state was read.
    /// - Returns: The changes for readers.
    mutating func replace(
        with entries: [ClusterEntry], at revision: Int64, after newest: Int64
    ) -> [SettingsStoreChange] {
        let isEarlier = revision < newest
        (followed, hidden, self.revision) = ([:], [:], revision)
        for entry in entries { put(entry) }
        ahead = isEarlier ? [:] : ahead.filter { $0.value.revision > revision }
        isWhollyUnstored = true
        return refresh(Set(followed.keys).union(visible.keys).union(overlay.keys))
    }

    /// Begins with the last known state of an earlier run. It counts as older than every state of a cluster.
    mutating func begin(with values: [String: Known]) -> [SettingsStoreChange] {
        followed = values
        return refresh(Set(values.keys))
    }

    /// Applies the events of one revision from the watch.
    ///
    /// - Returns: The changes for readers.
    mutating func apply(_ events: [WatchAnswer.Event], at revision: Int64) -> [SettingsStoreChange] {
        guard revision > self.revision else { return [] }
        self.revision = revision
        var names: Set<String> = []
        for event in events where range.contains(event.entry.key) {
            if event.isRemoval { remove(event.entry.key) } else { put(event.entry) }
            if let name = range.name(in: event.entry.key) { names.insert(name) }
        }
        unstored.formUnion(names)
        return forgetPassed(names)
    }

    /// Records that the known state is also the state at a revision.
    mutating func reach(_ revision: Int64) {
        if revision > self.revision { self.revision = revision }
        // Readers see no change, because the parts agree.
        _ = forgetPassed([])
    }

    /// Applies a transaction's view of keys at a revision: the existing entries and the missing ones.
    ///
    /// - Returns: The changes for readers.
    mutating func apply(_ entries: [String: ClusterEntry?], at revision: Int64) -> [SettingsStoreChange] {
        guard revision > self.revision else { return [] }
        var names: Set<String> = []
        for (name, entry) in entries where revision >= ahead[name]?.revision ?? 0 {
            let known = entry.map { Known(key: $0.key, data: $0.value, modRevision: $0.modRevision) }
            ahead[name] = Seen(known: known, revision: revision)
            names.insert(name)
        }
        unstored.formUnion(names)
        return refresh(names)
    }

    private mutating func put(_ entry: ClusterEntry) {
        let known = Known(key: entry.key, data: entry.value, modRevision: entry.modRevision)
        guard let name = range.name(in: entry.key) else { return hidden[entry.key] = known }
        if let present = followed[name], present.key != known.key {
            // Of two spellings of a name, the one written last counts.
            let (newer, older) = present.modRevision > known.modRevision ? (present, known) : (known, present)
            hidden[newer.key] = nil
            (followed[name], hidden[older.key]) = (newer, older)
        } else {
            hidden[known.key] = nil
            followed[name] = known
        }
    }

    private mutating func remove(_ key: Data) {
        if hidden.removeValue(forKey: key) != nil { return }
        guard let name = range.name(in: key), followed[name]?.key == key else { return }
        followed[name] = nil
        let others = hidden.values.filter { range.name(in: $0.key) == name }
        if let other = others.max(by: { $0.modRevision < $1.modRevision }) {
            hidden[other.key] = nil
            followed[name] = other
        }
    }

    /// Forgets views of transactions at revisions that the watch has reached.
    private mutating func forgetPassed(_ names: Set<String>) -> [SettingsStoreChange] {
        var names = names
        for (name, ahead) in ahead where ahead.revision <= revision {
            self.ahead[name] = nil
            names.insert(name)
        }
        return refresh(names)
    }

    // MARK: The local file

    /// Returns what the local file lacks, which then counts as stored: the whole state, or the values of some names.
    mutating func removeUnstored() -> (all: [String: Known]?, seen: [String: Seen]) {
        defer { (unstored, isWhollyUnstored) = ([], false) }
        if isWhollyUnstored {
            var all = followed
            for (name, ahead) in ahead { all[name] = ahead.known }
            return (all, [:])
        }
        let seen = unstored.map { ($0, ahead[$0] ?? Seen(known: followed[$0])) }
        return (nil, Dictionary(uniqueKeysWithValues: seen))
    }

    /// Puts back the names of values that could not be stored.
    mutating func putBack(_ names: some Sequence<String>) { unstored.formUnion(names) }

    /// Requires that the whole state is stored.
    mutating func requireStoringAll() { isWhollyUnstored = true }

    // MARK: Showing the program's writes

    /// Shows the waiting writes of some names over the cluster's values.
    ///
    /// - Parameter waiting: The last one of each name that has any.
    mutating func show(_ waiting: [String: Data?], of names: Set<String>) -> [SettingsStoreChange] {
        for name in names { overlay[name] = waiting[name] }
        return refresh(names)
    }

    private mutating func refresh(_ names: Set<String>) -> [SettingsStoreChange] {
        names.compactMap { name in
            let new = if let waiting = overlay[name] { waiting } else { known(name)?.data }
            let old = visible[name]
            if new == old { return nil }
            visible[name] = new
            return SettingsStoreChange(name: name, from: old, to: new)
        }
    }
}
