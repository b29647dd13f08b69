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
///
/// If a property list is printed from the log, what the list says wins, except for names that were changed after that print.
struct LogContents: Sendable {
    /// The change of a name that is in force.
    struct Entry: Sendable, Equatable {
        /// Nil for a removal, which only a shared log keeps.
        let data: Data?
        private let rest: Rest?

        /// What most entries of a property list do not have.
        private final class Rest: Sendable {
            let member: PropertyListValue?
            let stamp: LogStamp?

            init(_ member: PropertyListValue?, _ stamp: LogStamp?) { (self.member, self.stamp) = (member, stamp) }
        }

        init(_ change: LogChange, _ stamp: LogStamp?) {
            data = change.data
            rest = change.member == nil && stamp == nil ? nil : Rest(change.member, stamp)
        }

        /// The member of the property list, if the bytes alone would give another one.
        var member: PropertyListValue? { rest?.member }
        var stamp: LogStamp? { rest?.stamp }

        static func == (left: Self, right: Self) -> Bool {
            left.data == right.data && left.member == right.member && left.stamp == right.stamp
        }

        /// The value for the property list. Nil for a removal.
        var value: PropertyListValue? { member ?? data.map { NativeValue.value(for: $0) } }

        /// The member whose kind new bytes keep where they permit it. Nil if their own kind is the same.
        func kind(for new: Data) -> PropertyListValue? {
            // A shared log has no property list.
            if stamp != nil { return nil }
            if let member { return member }
            // A number with a fraction or an exponent is a real.
            return data?.isReal == true && !new.isReal ? value : nil
        }

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
    /// While a log is loaded, the names that lines have changed, or have made known to the list, with the ends of the lines: most of
    /// them are printed by a later line. Nil otherwise.
    private var loading: [(name: String, end: Int64, isUnprinted: Bool)]?
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
        for line in lines { _ = apply(.changes(line)) }
    }

    // MARK: The property list

    /// The names whose last change the list may lack, with the ends of the changes' lines.
    private(set) var unprinted: [String: Int64] = [:]
    /// The list that is known. Nil if there is none.
    private(set) var list: FileDigest?
    /// Whether a line says which list is known.
    private(set) var isListKnown = false
    /// The list that is about to replace the known one.
    private(set) var announced: FileDigest?
    /// The end of the last line that makes an earlier copy of the contents void: one about the list, but an announcement, one about a
    /// failed flush, and a damaged one.
    private(set) var voidance: Int64 = 0
    /// What the list says that the log does not yet: changes in force, also as ``laid``.
    private var overlay: [String: LogChange] = [:]

    var laid: [LogChange] { Array(overlay.values) }
    var isListLaid: Bool { !overlay.isEmpty }

    // MARK: Values

    /// The names with a value. Linear time.
    var names: [String] {
        let names = entries.filter { $0.value.data != nil && overlay[$0.key] == nil }.map(\.key)
        return names + overlay.values.filter { $0.data != nil }.map(\.name)
    }

    /// The stored bytes under a name.
    func data(named name: String) -> Data? {
        if !overlay.isEmpty, let change = overlay[name] { return change.data }
        return entries[name]?.data
    }

    /// The value of a name as it is or will be in the property list.
    func value(named name: String) -> PropertyListValue? {
        entry(named: name)?.value
    }

    // MARK: Storing

    /// The changes that store bytes under names, or remove those. A later write of a name replaces an earlier one.
    ///
    /// Bytes in place of a member that has a kind of its own, a date for example, keep the kind where they permit it.
    func changes(storing writes: [SettingsStoreBatch.Entry]) -> [LogChange] {
        var seen = Set<String>(minimumCapacity: writes.count)
        let last =
            writes.count == 1 ? writes : writes.reversed().filter { seen.insert($0.key.name).inserted }.reversed()
        return last.compactMap { change(storing: $0.data, under: $0.key.name) }
    }

    /// The change that stores bytes under a name, or removes those. Nil if that is what is stored.
    func change(storing data: Data?, under name: String) -> LogChange? {
        let old = entry(named: name)
        guard data != old?.data else { return nil }
        guard let data else { return LogChange(name: name, data: nil) }
        return LogChange(name: name, data: data, resembling: old?.kind(for: data))
    }

    /// The changes of a batch. Nil if an expectation does not hold.
    func changes(of batch: SettingsStoreBatch) -> [LogChange]? {
        batch.expectations.hold { data(named: $0) } ? changes(storing: batch.writes) : nil
    }

    private func entry(named name: String) -> Entry? {
        if !overlay.isEmpty, let change = overlay[name] { return Entry(change, nil) }
        return entries[name]
    }

    // MARK: Reading lines

    /// Applies the next line.
    ///
    /// - Parameter end: The offset of the line's end.
    /// - Returns: The changes of stored values.
    mutating func apply(_ line: LogLineReader.Result, end: Int64 = 0) -> [SettingsStoreChange] {
        switch line {
        case .line(let line): return apply(line, end: end)
        case .damaged: (isDamaged, voidance) = (true, end)
        case .newerVersion(let version): newerVersion = version
        }
        return []
    }

    /// Applies the next line.
    ///
    /// - Parameter end: The offset of the line's end.
    /// - Returns: The changes of stored values.
    mutating func apply(_ line: LogLine, end: Int64 = 0) -> [SettingsStoreChange] {
        switch line {
        case .beginning: hasBeginning = true
        case .replica(let replica): self.replica = replica
        case .changes(let changes): return apply(changes, end: end)
        case .failedFlush: (hasFailedFlush, voidance) = (true, end)
        case .list(let list): return apply(list, end: end)
        case .replaced: break
        }
        return []
    }

    private mutating func apply(_ line: LogChanges, end: Int64) -> [SettingsStoreChange] {
        var result: [SettingsStoreChange] = []
        for change in line.changes {
            let entry = Entry(change, line.stamp)
            let old = put(entry, under: change.name)
            guard entry.wins(over: old) else {
                entries[change.name] = old
                continue
            }
            let before = overlay[change.name].map { $0.data } ?? old?.data
            if let old { size -= size(of: change.name, old) }
            if !line.unknownMembers.isEmpty {
                unknownMembers[change.name] = line.unknownMembers
            } else if !unknownMembers.isEmpty {
                unknownMembers[change.name] = nil
            }
            size += size(of: change.name, entry)
            if line.stamp == nil {
                setUnprinted(change.name, end)
                if !overlay.isEmpty { overlay[change.name] = nil }
            }
            if loading == nil, before != entry.data {
                result.append(SettingsStoreChange(name: change.name, from: before, to: entry.data))
            }
        }
        return result
    }

    private mutating func apply(_ list: LogList, end: Int64) -> [SettingsStoreChange] {
        if case .announced = list.kind {
            announced = list.digest
            return []
        }
        (self.list, isListKnown, announced, voidance) = (list.digest, true, nil, end)
        var changed = Set(overlay.keys)
        var imported: [LogChange] = []
        switch list.kind {
        case .announced: break
        case .printed(let offset):
            loading?.removeAll { $0.end <= offset }
            unprinted = unprinted.filter { $0.value > offset }
        case .imported(let changes, let shown):
            imported = changes
            changed.formUnion(changes.map(\.name))
            for name in shown { setUnprinted(name, end, false) }
        }
        return changes(of: changed) { contents in
            contents.overlay = [:]
            for change in imported {
                let entry = Entry(change, nil)
                let old = contents.put(entry, under: change.name)
                if let old { contents.size -= contents.size(of: change.name, old) }
                contents.size += contents.size(of: change.name, entry)
                contents.setUnprinted(change.name, end, false)
            }
        }
    }

    /// Puts an entry in the place of another one. Only a shared log keeps removals.
    ///
    /// - Returns: The old entry.
    private mutating func put(_ entry: Entry, under name: String) -> Entry? {
        if entry.data == nil, entry.stamp == nil { return entries.removeValue(forKey: name) }
        return entries.updateValue(entry, forKey: name)
    }

    /// Runs `body`, and returns the changes of the stored values under names.
    private mutating func changes(
        of names: Set<String>, by body: (inout Self) -> Void
    ) -> [SettingsStoreChange] {
        let before = names.map { ($0, data(named: $0)) }
        body(&self)
        return before.compactMap { name, old in
            let new = data(named: name)
            return old == new ? nil : SettingsStoreChange(name: name, from: old, to: new)
        }
    }

    private mutating func setUnprinted(_ name: String, _ end: Int64, _ isUnprinted: Bool = true) {
        if loading != nil {
            loading?.append((name, end, isUnprinted))
        } else {
            unprinted[name] = isUnprinted ? end : nil
        }
    }

    /// Begins to load a log, whose changes nothing hears of.
    mutating func beginLoading() { loading = [] }

    mutating func endLoading() {
        guard let loaded = loading.take() else { return }
        for (name, end, isUnprinted) in loaded { unprinted[name] = isUnprinted ? end : nil }
    }

    /// The approximate size of an entry's line, at least half of it; 0 for one that is not kept. An escaped character of a name takes
    /// six bytes.
    private func size(of name: String, _ entry: Entry) -> Int {
        if entry.data == nil && entry.stamp == nil { return 0 }
        let unknown = unknownMembers.isEmpty ? 0 : unknownMembers[name]?.count ?? 0
        return 3 * name.utf8.count + (entry.data?.count ?? 0) + unknown + (entry.stamp == nil ? 40 : 110)
    }

    // MARK: What the list says

    /// The members of a property list.
    struct ListContents: Sendable {
        var digest: FileDigest
        var members: [String: PropertyListValue]
    }

    /// Returns what a list says: its changes, and the other names whose values it shows although they were not printed. Nil if it says
    /// nothing. Linear time.
    ///
    /// - Parameters:
    ///   - list: The list. Nil if there is none.
    ///   - isOpening: Whether the log was just opened. A list that was removed before is empty; one that is removed later is printed
    ///     again.
    func said(by list: ListContents?, isOpening: Bool) -> (changes: [LogChange], shown: [String])? {
        guard list?.digest != self.list || !isListKnown && list != nil || isDamaged else { return nil }
        if list == nil, !isOpening || isDamaged { return nil }
        var (changes, shown): ([LogChange], [String]) = ([], [])
        let members = list?.members ?? [:]
        for (name, value) in members {
            let isSame = entries[name]?.value == value
            if unprinted[name] == nil {
                if !isSame { changes.append(LogChange(name: name, member: value)) }
            } else if isSame {
                shown.append(name)
            }
        }
        for (name, _) in entries where members[name] == nil && unprinted[name] == nil {
            changes.append(LogChange(name: name, data: nil))
        }
        for (name, _) in unprinted where members[name] == nil && entries[name] == nil { shown.append(name) }
        return (changes, shown)
    }

    /// Puts what a list says in force, over the log's values.
    ///
    /// - Returns: The changes of stored values.
    mutating func lay(_ changes: [LogChange]) -> [SettingsStoreChange] {
        self.changes(of: Set(overlay.keys).union(changes.map(\.name))) { contents in
            contents.overlay = Dictionary(changes.map { ($0.name, $0) }) { $1 }
        }
    }

    /// The members of the property list, sorted by name. Linear time, and what sorting takes.
    func members() -> [PropertyListMember] {
        entries.compactMap { name, entry in entry.value.map { PropertyListMember(key: name, value: $0.writable) } }
            .sorted { $0.key < $1.key }
    }

    // MARK: Comparing

    /// Returns the parts of another log's lines that win over the entries. Linear time.
    ///
    /// - Parameter lines: Lines with stamps.
    func winners(among lines: [LogChanges]) -> [LogChanges] {
        var greatest: [String: Entry] = [:]
        for line in lines {
            for change in line.changes {
                let entry = Entry(change, line.stamp)
                guard entry.wins(over: entries[change.name]), entry.wins(over: greatest[change.name]) else { continue }
                greatest[change.name] = entry
            }
        }
        if greatest.isEmpty { return [] }
        return lines.compactMap { line in
            let changes = line.changes.filter { change in
                // The first of several equal ones is enough.
                guard greatest[change.name] == Entry(change, line.stamp) else { return false }
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
        Set(names).union(other.names).compactMap { name in
            let (old, new) = (data(named: name), other.data(named: name))
            return old == new ? nil : SettingsStoreChange(name: name, from: old, to: new)
        }
    }

    // MARK: Compaction

    /// Calls `body` with each line of a new log with these contents, but the first. Linear time.
    ///
    /// - Parameters:
    ///   - start: The end of the first line.
    ///   - body: Receives a line, and returns the offset of its end.
    /// - Returns: The ends of the lines of names that were not printed.
    func forEachLine<Failure: Error>(
        from start: Int64, _ body: (LogLine) throws(Failure) -> Int64
    ) throws(Failure) -> [String: Int64] {
        var end = start
        if let replica { end = try body(.replica(replica)) }
        for (name, entry) in entries where unprinted[name] == nil { end = try body(line(entry, named: name)) }
        // Behind the values that the list has, and before those that it lacks.
        if isListKnown { end = try body(.list(LogList(digest: list, kind: .printed(through: end)))) }
        var ends: [String: Int64] = [:]
        for (name, _) in unprinted.sorted(by: { $0.value < $1.value }) {
            ends[name] = try body(line(entries[name], named: name))
        }
        return ends
    }

    private func line(_ entry: Entry?, named name: String) -> LogLine {
        let change = entry.map { LogChange(name: name, $0) } ?? LogChange(name: name, data: nil)
        return .changes(
            LogChanges(changes: [change], stamp: entry?.stamp, unknownMembers: unknownMembers[name] ?? []))
    }

    /// Records that a new log has everything, and no damaged line.
    ///
    /// - Parameters:
    ///   - ends: The ends of the lines of names that were not printed, as ``forEachLine(from:_:)`` returns them.
    ///   - copied: The offset of the old log behind which its lines were copied to the new one, and their offset there.
    mutating func didBeginLog(_ ends: [String: Int64], copied: (from: Int64, to: Int64)) {
        (hasBeginning, isDamaged, hasFailedFlush, voidance) = (true, false, false, 0)
        for (name, end) in unprinted {
            unprinted[name] = end > copied.from ? end - copied.from + copied.to : ends[name]
        }
    }
}

extension Data {
    /// Whether the bytes are a number with a fraction or an exponent in JSON.
    fileprivate var isReal: Bool {
        withUnsafeBytes { bytes in
            guard let first = bytes.first,
                first == UInt8(ascii: "-") || first >= UInt8(ascii: "0") && first <= UInt8(ascii: "9")
            else { return false }
            return bytes.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
        }
    }
}
