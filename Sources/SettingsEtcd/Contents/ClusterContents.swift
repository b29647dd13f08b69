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

    /// The knowledge of a name from a transaction.
    private struct Ahead {
        var known: Known?
        /// The revision of the cluster at that time.
        var revision: Int64
    }

    let range: KeyRange
    /// The revision of the state from the read and the watch; 0 before the first read.
    private(set) var revision: Int64 = 0
    /// The cluster's state at ``revision``.
    private var followed: [String: Known] = [:]
    /// Keys under the prefix that no setting can have, and other spellings of names in ``followed``.
    private var hidden: [Data: Known] = [:]
    private var ahead: [String: Ahead] = [:]
    /// The program's last write of a name, and the number of its waiting writes.
    private var overlay: [String: (data: Data?, count: Int)] = [:]
    /// The values that readers see.
    private(set) var visible: [String: Data] = [:]

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

    /// All known contents of the cluster.
    var allKnown: [String: Known] {
        var all = followed
        for (name, ahead) in ahead { all[name] = ahead.known }
        return all
    }

    /// The revision at which a transaction has shown that a name has no value, until the watch has reached it.
    func absence(of name: String) -> Int64? {
        guard let ahead = ahead[name], ahead.known == nil else { return nil }
        return ahead.revision
    }

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
            ahead[name] = Ahead(known: known, revision: revision)
            names.insert(name)
        }
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

    // MARK: Showing the program's writes

    /// Shows a write that the cluster has not agreed on yet.
    mutating func show(_ writes: [String: Data?]) -> [SettingsStoreChange] {
        for (name, data) in writes { overlay[name] = (data, (overlay[name]?.count ?? 0) + 1) }
        return refresh(Set(writes.keys))
    }

    /// Shows a write in place of another one of the same names.
    mutating func showInstead(_ writes: [String: Data?]) -> [SettingsStoreChange] {
        for (name, data) in writes { overlay[name] = (data, overlay[name]?.count ?? 1) }
        return refresh(Set(writes.keys))
    }

    /// Shows a write that is older than those already shown.
    mutating func showBelow(_ writes: [String: Data?]) -> [SettingsStoreChange] {
        for (name, data) in writes {
            overlay[name] = overlay[name].map { ($0.data, $0.count + 1) } ?? (data, 1)
        }
        return refresh(Set(writes.keys))
    }

    /// Ends ``show(_:)`` for the same names: the cluster has agreed on the write, or it is given up.
    ///
    /// - Parameter writes: The same writes as when they were shown.
    mutating func endShowing(_ writes: [String: Data?]) -> [SettingsStoreChange] {
        for name in writes.keys {
            guard let shown = overlay[name] else { continue }
            overlay[name] = shown.count > 1 ? (shown.data, shown.count - 1) : nil
        }
        return refresh(Set(writes.keys))
    }

    private mutating func refresh(_ names: Set<String>) -> [SettingsStoreChange] {
        names.compactMap { name in
            let new = if let shown = overlay[name] { shown.data } else { known(name)?.data }
            let old = visible[name]
            if new == old { return nil }
            visible[name] = new
            return SettingsStoreChange(name: name, from: old, to: new)
        }
    }
}
