import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The known contents of the cluster under the prefix: its state at one revision, from the first read and the watch, and single
/// keys that transactions have shown at later revisions. Only a newer value replaces a value, so that no reader goes back in time.
/// Pure: no lock, no clock, no network.
struct ClusterContents {
    let range: KeyRange
    /// The revision of the state from the read and the watch; 0 before the first read.
    private(set) var revision: Int64 = 0
    /// The entry of each name, with the cluster's spelling of it.
    private var entries: [String: ClusterEntry] = [:]
    /// Keys under the prefix that no setting can have, and other spellings of names in ``entries``.
    private var hidden: [Data: ClusterEntry] = [:]
    /// The revisions, later than ``revision``, at which transactions have shown keys.
    private var ahead: [Data: Int64] = [:]

    init(range: KeyRange) { self.range = range }

    // MARK: Asking

    subscript(name: String) -> Data? { entries[name]?.value }

    var names: [String] { Array(entries.keys) }

    /// The values, for the file of the last known ones.
    var values: [String: Data] { entries.mapValues(\.value) }

    /// The key of a name, in the cluster's spelling.
    func key(of name: String) -> Data { entries[name]?.key ?? range.key(of: name) }

    /// The number of the cluster's keys under the prefix.
    var count: Int64 { Int64(entries.count + hidden.count) }

    /// The newest revision seen, of the whole state or of a single key.
    var newestRevision: Int64 { max(revision, ahead.values.max() ?? 0) }

    /// The condition that a name still has the value that it has here.
    func comparison(of name: String) -> GatewayMessage.Comparison {
        let key = key(of: name)
        guard let entry = entries[name] else { return .modRevision(key: key, 0) }
        // A cluster that was restored from a backup reuses revisions, so the value is compared unless it is large.
        return entry.value.count <= EtcdLimits.comparedValue
            ? .value(key: key, entry.value) : .modRevision(key: key, entry.modRevision)
    }

    // MARK: Applying the cluster's state

    /// Begins with the last known values of an earlier run. They count as older than every state of a cluster.
    mutating func begin(with values: [String: Data]) {
        for (name, value) in values { put(ClusterEntry(key: range.key(of: name), value: value, modRevision: 0)) }
    }

    /// Replaces the state by one that was read at a later revision, or from a cluster that was restored from a backup.
    ///
    /// - Parameter newest: The newest revision seen before the state was read.
    /// - Returns: The changes for readers.
    mutating func replace(
        with state: [ClusterEntry], at revision: Int64, after newest: Int64
    ) -> [SettingsStoreChange] {
        let old = entries
        ahead = revision < newest ? [:] : ahead.filter { $0.value > revision }
        (entries, hidden, self.revision) = ([:], [:], revision)
        for entry in state where ahead[entry.key] == nil { put(entry) }
        for (name, entry) in old where ahead[entry.key] != nil && entries[name] == nil { put(entry) }
        return Set(old.keys).union(entries.keys).compactMap { change(of: $0, from: old[$0]?.value) }
    }

    /// Applies the events of one revision from the watch.
    ///
    /// - Returns: The changes for readers.
    mutating func apply(_ revision: WatchFold.Revision) -> [SettingsStoreChange] {
        guard revision.number > self.revision else { return [] }
        let events = revision.events.filter { event in
            range.contains(event.entry.key) && ahead[event.entry.key] ?? 0 < revision.number
        }
        reach(revision.number)
        return put(events.map { ($0.entry.key, $0.kind == .removal ? nil : $0.entry) })
    }

    /// Records that the known state is also the state at a revision.
    mutating func reach(_ revision: Int64) {
        guard revision > self.revision else { return }
        self.revision = revision
        if !ahead.isEmpty { ahead = ahead.filter { $0.value > revision } }
    }

    /// Applies a transaction's view of keys: entries and missing ones.
    ///
    /// - Returns: The changes for readers.
    mutating func show(_ views: [(key: Data, entry: ClusterEntry?)], at revision: Int64) -> [SettingsStoreChange] {
        guard revision > self.revision else { return [] }
        let newer = views.filter { revision > ahead[$0.key] ?? 0 }
        for view in newer { ahead[view.key] = revision }
        return put(newer)
    }

    // MARK: Keys

    private mutating func put(_ views: [(key: Data, entry: ClusterEntry?)]) -> [SettingsStoreChange] {
        var old: [String: Data?] = [:]
        for (key, entry) in views {
            if let name = range.name(in: key), old[name] == nil { old[name] = .some(entries[name]?.value) }
            if let entry { put(entry) } else { remove(key) }
        }
        return old.compactMap { change(of: $0.key, from: $0.value) }
    }

    private func change(of name: String, from old: Data?) -> SettingsStoreChange? {
        let new = entries[name]?.value
        return old == new ? nil : SettingsStoreChange(name: name, from: old, to: new)
    }

    private mutating func put(_ entry: ClusterEntry) {
        guard let name = range.name(in: entry.key) else { return hidden[entry.key] = entry }
        hidden[entry.key] = nil
        if let present = entries[name], present.key != entry.key {
            // Of two spellings of a name, the one written last counts.
            let (newer, older) = present.modRevision > entry.modRevision ? (present, entry) : (entry, present)
            (entries[name], hidden[older.key]) = (newer, older)
        } else {
            entries[name] = entry
        }
    }

    private mutating func remove(_ key: Data) {
        if hidden.removeValue(forKey: key) != nil { return }
        guard let name = range.name(in: key), entries[name]?.key == key else { return }
        entries[name] = nil
        let others = hidden.values.filter { range.name(in: $0.key) == name }
        if let other = others.max(by: { $0.modRevision < $1.modRevision }) {
            hidden[other.key] = nil
            entries[name] = other
        }
    }
}
