import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the lines of a log say.
///
/// In a log that is not shared, the last change of a name is in force. In a shared log, the greatest one is, whatever the order of the
/// lines: by its time; at equal times, by its bytes, a removal being less than any value. So the merge is commutative, associative
/// and idempotent.
struct LogContents: Sendable {
    /// The change of a name that is in force.
    struct Entry: Sendable, Equatable {
        /// Nil for a removal, which only a shared log keeps.
        var data: Data?
        var stamp: LogStamp?

        /// Whether the entry replaces another one of the same name.
        func wins(over other: Entry?) -> Bool {
            guard let other, let otherStamp = other.stamp else { return true }
            guard let stamp else { return false }
            if stamp.time != otherStamp.time { return stamp.time > otherStamp.time }
            guard let data else { return false }
            return other.data.map { $0.lexicographicallyPrecedes(data) } ?? true
        }
    }

    private(set) var entries: [String: Entry] = [:]
    /// The members of newer versions in the lines of the entries, by name.
    private var unknownMembers: [String: [UInt8]] = [:]
    /// Whether there was a first line.
    private(set) var hasBeginning = false
    /// The replica that a shared log belongs to.
    private(set) var replica: LogReplica?
    /// Whether a line was damaged.
    private(set) var isDamaged = false
    /// Whether flushing the log has failed.
    private(set) var hasFailedFlush = false
    /// The version of the format, if it is newer than this library.
    private(set) var newerVersion: Int?
    /// The approximate number of bytes of the lines that a new log needs, at least half of it: a new log is not to be compacted again.
    private(set) var size = 0

    init(_ lines: [LogChanges] = []) {
        for line in lines { _ = apply(line) }
    }

    /// The names with a value. Linear time.
    var names: [String] { entries.filter { $0.value.data != nil }.map(\.key) }

    /// The stored bytes under a name.
    func data(named name: String) -> Data? { entries[name]?.data }

    // MARK: Reading lines

    /// Applies the next line.
    ///
    /// - Returns: The changes of stored values.
    mutating func apply(_ line: LogLineReader.Result) -> [SettingsStoreChange] {
        switch line {
        case .line(let line): return apply(line)
        case .damaged: isDamaged = true
        case .newerVersion(let version): newerVersion = version
        }
        return []
    }

    /// Applies the next line.
    ///
    /// - Returns: The changes of stored values.
    mutating func apply(_ line: LogLine) -> [SettingsStoreChange] {
        switch line {
        case .beginning: hasBeginning = true
        case .replica(let replica): self.replica = replica
        case .changes(let changes): return apply(changes)
        case .failedFlush: hasFailedFlush = true
        case .replaced: break
        }
        return []
    }

    private mutating func apply(_ line: LogChanges) -> [SettingsStoreChange] {
        var result: [SettingsStoreChange] = []
        result.reserveCapacity(line.changes.count)
        for change in line.changes {
            let entry = Entry(data: change.data, stamp: line.stamp)
            let old = entries[change.name]
            guard entry.wins(over: old) else { continue }
            if let old { size -= size(of: change.name, old) }
            entries[change.name] = entry.data == nil && entry.stamp == nil ? nil : entry
            if !line.unknownMembers.isEmpty {
                unknownMembers[change.name] = line.unknownMembers
            } else if !unknownMembers.isEmpty {
                unknownMembers[change.name] = nil
            }
            size += size(of: change.name, entry)
            if old?.data != entry.data {
                result.append(SettingsStoreChange(name: change.name, from: old?.data, to: entry.data))
            }
        }
        return result
    }

    /// The approximate size of an entry's line, at least half of it; 0 for one that is not kept. An escaped character of a name takes
    /// six bytes.
    private func size(of name: String, _ entry: Entry) -> Int {
        if entry.data == nil && entry.stamp == nil { return 0 }
        let unknown = unknownMembers.isEmpty ? 0 : unknownMembers[name]?.count ?? 0
        return 3 * name.utf8.count + (entry.data?.count ?? 0) + unknown + (entry.stamp == nil ? 40 : 110)
    }

    /// Records that a new log has everything: no line of it is damaged.
    mutating func didBeginLog() { (hasBeginning, isDamaged, hasFailedFlush) = (true, false, false) }

    // MARK: Comparing

    /// Returns the parts of another log's lines that win over the entries. Linear time.
    ///
    /// - Parameter lines: Lines with stamps.
    func winners(among lines: [LogChanges]) -> [LogChanges] {
        var greatest: [String: Entry] = [:]
        for line in lines {
            for change in line.changes {
                let entry = Entry(data: change.data, stamp: line.stamp)
                guard entry.wins(over: entries[change.name]), entry.wins(over: greatest[change.name]) else { continue }
                greatest[change.name] = entry
            }
        }
        if greatest.isEmpty { return [] }
        return lines.compactMap { line in
            let changes = line.changes.filter { change in
                // The first of several equal ones is enough.
                guard greatest[change.name] == Entry(data: change.data, stamp: line.stamp) else { return false }
                greatest[change.name] = nil
                return true
            }
            if changes.isEmpty { return nil }
            return LogChanges(changes: changes, stamp: line.stamp, unknownMembers: line.unknownMembers)
        }
    }

    /// Whether no entry wins over that of another log. Linear time.
    func isContained(in other: LogContents) -> Bool { !entries.contains { $1.wins(over: other.entries[$0]) } }

    /// The time of a change that is made now: it is greater than that of every earlier change of the names, and than 0, the time of
    /// imported values.
    ///
    /// - Parameter now: Milliseconds since 1970. A clock that shows a time before 1970 or after 2199 counts as standing still.
    /// - Returns: Nil if the latest change of a name has the last time there is.
    func nextTime(of names: some Sequence<String>, now: Int64) -> UInt64? {
        let now = now > 0 && now < LogStamp(time: LogStamp.end, replica: 0).milliseconds ? UInt64(now) << 16 : 0
        let next = names.reduce(now) { max($0, (entries[$1]?.stamp?.time ?? 0) + 1) }
        return next < LogStamp.end ? next : nil
    }

    /// The changes that turn these values into those of another log. Linear time.
    func differences(to other: LogContents) -> [SettingsStoreChange] {
        var changes: [SettingsStoreChange] = []
        for (name, entry) in entries where entry.data != other.entries[name]?.data {
            changes.append(SettingsStoreChange(name: name, from: entry.data, to: other.entries[name]?.data))
        }
        for (name, entry) in other.entries where entries[name] == nil && entry.data != nil {
            changes.append(SettingsStoreChange(name: name, from: nil, to: entry.data))
        }
        return changes
    }

    // MARK: Compaction

    /// Calls `body` with each line of a new log with these contents, but the first. Linear time.
    func forEachLine<Failure: Error>(_ body: (LogLine) throws(Failure) -> Void) throws(Failure) {
        if let replica { try body(.replica(replica)) }
        for (name, entry) in entries {
            let change = LogChange(name: name, data: entry.data)
            try body(
                .changes(
                    LogChanges(changes: [change], stamp: entry.stamp, unknownMembers: unknownMembers[name] ?? [])))
        }
    }
}
