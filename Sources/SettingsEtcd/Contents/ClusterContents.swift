import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the cluster holds under the prefix as far as this program knows, and what the program has set over it.
///
/// There are three parts, each over the one before:
/// - what the first read and the watch have returned: the state of the cluster at one revision;
/// - for single names, what the answer to a transaction has shown at a later revision;
/// - what the program has set, and the cluster has not agreed on yet.
///
/// A value only makes way for a newer one, so that no reader goes back in time. Pure: no lock, no clock, no network.
struct ClusterContents {
    /// What the cluster holds under a name.
    struct Known: Equatable {
        /// The key, by which the name is spelled in the cluster.
        var key: Data
        var data: Data
        var modRevision: Int64
    }

    /// What is known of a name from a transaction.
    private struct Ahead {
        var known: Known?
        /// The revision of the cluster at which it was so.
        var revision: Int64
    }

    let range: KeyRange
    /// The revision of the cluster whose state the read and the watch have returned; 0 if nothing was read.
    private(set) var revision: Int64 = 0
    /// The cluster's state at ``revision``.
    private var followed: [String: Known] = [:]
    /// Keys under the prefix that no setting can have, and other spellings of names that are in ``followed``.
    private var hidden: [Data: Known] = [:]
    private var ahead: [String: Ahead] = [:]
    /// What the program has set last under a name, and how many such writes wait.
    private var overlay: [String: (data: Data?, count: Int)] = [:]
    /// What readers see.
    private(set) var visible: [String: Data] = [:]

    init(range: KeyRange) { self.range = range }

    // MARK: Asking

    /// What the cluster holds under a name, without the program's own changes on which it has not agreed yet.
    func known(_ name: String) -> Known? {
        if let ahead = ahead[name] { return ahead.known }
        return followed[name]
    }

    func modRevision(of name: String) -> Int64 { known(name)?.modRevision ?? 0 }

    func modRevisions(of names: some Sequence<String>) -> [String: Int64] {
        Dictionary(names.map { ($0, modRevision(of: $0)) }) { $1 }
    }

    /// The key of a name, in the spelling that the cluster has.
    func key(of name: String) -> Data { known(name)?.key ?? range.key(of: name) }

    /// The number of the cluster's keys under the prefix at ``revision``.
    var count: Int64 { Int64(followed.count + hidden.count) }

    /// Everything that the cluster holds as far as it is known.
    var allKnown: [String: Known] {
        var all = followed
        for (name, ahead) in ahead { all[name] = ahead.known }
        return all
    }

    /// The revision at which a transaction has shown that a name has no value, while the watch has not come that far.
    func absence(of name: String) -> Int64? {
        guard let ahead = ahead[name], ahead.known == nil else { return nil }
        return ahead.revision
    }

    /// The newest revision that was seen, of everything or of a single name.
    var newestRevision: Int64 { max(revision, ahead.values.lazy.map(\.revision).max() ?? 0) }

    /// The names whose values differ from the known ones of the same revision. A cluster that was restored from a backup gives
    /// the revisions again that were lost with the restoration.
    func namesWithReusedRevision(in entries: [ClusterEntry]) -> [String] {
        entries.compactMap { entry in
            guard let name = range.name(in: entry.key), let known = known(name),
                known.modRevision == entry.modRevision, known.data != entry.value
            else { return nil }
            return name
        }
    }

    // MARK: What the cluster tells

    /// Replaces the state by one that was read at a later revision, or of a cluster that was restored from a backup.
    ///
    /// - Parameter newest: The newest revision that was seen before the state was read.
    /// - Returns: What readers see differently.
    mutating func replace(
        with entries: [ClusterEntry], at revision: Int64, after newest: Int64
    ) -> [SettingsStoreChange] {
        let isEarlier = revision < newest
        (followed, hidden, self.revision) = ([:], [:], revision)
        for entry in entries { put(entry) }
        ahead = isEarlier ? [:] : ahead.filter { $0.value.revision > revision }
        return refresh(Set(followed.keys).union(visible.keys).union(overlay.keys))
    }

    /// Begins with the last known state of an earlier run. It counts as older than everything that a cluster tells.
    mutating func begin(with values: [String: Known]) -> [SettingsStoreChange] {
        followed = values
        return refresh(Set(values.keys))
    }

    /// Takes the events of one revision from the watch.
    ///
    /// - Returns: What readers see differently.
    mutating func take(_ events: [WatchAnswer.Event], at revision: Int64) -> [SettingsStoreChange] {
        guard revision > self.revision else { return [] }
        self.revision = revision
        var names: Set<String> = []
        for event in events where range.contains(event.entry.key) {
            if event.isRemoval { remove(event.entry.key) } else { put(event.entry) }
            if let name = range.name(in: event.entry.key) { names.insert(name) }
        }
        return forgetPassed(names)
    }

    /// Notes that the state at a revision is the one that is known.
    mutating func reach(_ revision: Int64) {
        if revision > self.revision { self.revision = revision }
        // What is seen stays: the parts agree.
        _ = forgetPassed([])
    }

    /// Takes what a transaction at a revision has shown of keys: the entries that are there, and those that are not.
    ///
    /// - Returns: What readers see differently.
    mutating func take(_ entries: [String: ClusterEntry?], at revision: Int64) -> [SettingsStoreChange] {
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
            // Two spellings of a name: the one that was written last counts.
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

    /// Forgets what transactions have shown of revisions that the watch has reached.
    private mutating func forgetPassed(_ names: Set<String>) -> [SettingsStoreChange] {
        var names = names
        for (name, ahead) in ahead where ahead.revision <= revision {
            self.ahead[name] = nil
            names.insert(name)
        }
        return refresh(names)
    }

    // MARK: What the program sets

    /// Shows a write on which the cluster has not agreed yet.
    mutating func show(_ writes: [String: Data?]) -> [SettingsStoreChange] {
        for (name, data) in writes { overlay[name] = (data, (overlay[name]?.count ?? 0) + 1) }
        return refresh(Set(writes.keys))
    }

    /// Shows a write in the place of one of the same names.
    mutating func showInstead(_ writes: [String: Data?]) -> [SettingsStoreChange] {
        for (name, data) in writes { overlay[name] = (data, overlay[name]?.count ?? 1) }
        return refresh(Set(writes.keys))
    }

    /// Shows a write that is older than those that are shown already.
    mutating func showBelow(_ writes: [String: Data?]) -> [SettingsStoreChange] {
        for (name, data) in writes {
            overlay[name] = overlay[name].map { ($0.data, $0.count + 1) } ?? (data, 1)
        }
        return refresh(Set(writes.keys))
    }

    /// Ends ``show(_:)`` of the same names: the write was agreed on, or it is given up.
    ///
    /// - Parameter writes: The same as when they were shown.
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
