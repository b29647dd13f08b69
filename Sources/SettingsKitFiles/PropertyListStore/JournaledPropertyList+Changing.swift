import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changes stored values.
extension JournaledPropertyList {
    /// Stores bytes under a key, or removes it. If another process keeps the files locked, the change is kept, and stored
    /// later.
    func set(_ data: Data?, for key: SettingsService.StorageKey) throws {
        do {
            try change(named: key.name, waiting: waitingToKeep) { $0 == data ? .keep : .store(data) }
        } catch SettingsError.Code.busy {
            try keep([.init(key: key, data: data)])
        }
    }

    /// A decision about the value under a name.
    enum Decision {
        /// Nothing changes.
        case keep
        /// Stores bytes that differ from the stored ones; nil removes those.
        case store(Data?)
        /// Nothing changes, because an expectation does not hold.
        case refuse
    }

    /// Decides what to store under a name while nothing else can change it, and stores it.
    ///
    /// - Parameters:
    ///   - waiting: The time to wait for another process.
    ///   - decide: Receives the stored bytes.
    /// - Returns: false if `decide` has refused.
    @discardableResult
    func change(
        named name: String, waiting: @autoclosure () -> Duration, _ decide: (Data?) throws -> Decision
    ) throws -> Bool {
        var found = PropertyListContents.Finding.nothing
        var data: Data?
        return try change(waiting: waiting()) { (place, append) in
            found = contents.withLock { $0.find(name) }
            switch try decide(found.data) {
            case .keep: return true
            case .refuse: return false
            case .store(let decided): data = decided
            }
            try requireRoom(found.growth(with: data), found.contentsSize)
            try JournalFrame.withChange(name: name, data: data, at: place, append)
            return true
        } make: { contents, position, changes in
            changes.append(contents.replace(found, by: data, at: position))
        }
    }

    /// Whether expectations hold for the values in memory, at one moment.
    func holds(_ expectations: [SettingsStoreBatch.Entry]) -> Bool {
        contents.withLock { contents in expectations.hold { contents.data(named: $0) } }
    }

    /// Applies a batch if its expectations hold. If another process keeps the files locked, a batch without expectations whose
    /// caller does not wait is kept, and stored later.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        if batch.options.waitsForAgreement || !batch.expectations.isEmpty {
            return try applyNow(batch, waiting: patience)
        }
        do {
            return try applyNow(batch, waiting: waitingToKeep)
        } catch SettingsError.Code.busy {
            try keep(batch.writes)
            return true
        }
    }

    private func applyNow(_ batch: SettingsStoreBatch, waiting: @autoclosure () -> Duration) throws -> Bool {
        if batch.writes.count == 1 {
            return try apply(batch.writes[0], expecting: batch.expectations, waiting: waiting())
        }
        let changes = batch.writes.map { JournalChange(name: $0.key.name, data: $0.data) }
        return try change(waiting: waiting()) {
            contents.withLock { contents in
                guard batch.expectations.hold(for: { contents.data(named: $0) }) else { return nil }
                return changes.contains { contents.data(named: $0.name) != $0.data } ? changes : []
            }
        }
    }

    /// Applies a single write if expectations hold. Usually there is one, for the same name.
    private func apply(
        _ write: SettingsStoreBatch.Entry, expecting expectations: [SettingsStoreBatch.Entry],
        waiting: @autoclosure () -> Duration
    ) throws -> Bool {
        let name = write.key.name
        return try change(named: name, waiting: waiting()) { present in
            for expectation in expectations {
                let other = expectation.key.name
                let stored = other == name ? present : contents.withLock { $0.data(named: other) }
                if stored != expectation.data { return .refuse }
            }
            return present == write.data ? .keep : .store(write.data)
        }
    }

    /// Decides about changes while nothing else can change anything, and makes them as one change.
    ///
    /// - Parameters:
    ///   - origin: The origin of the change, for listeners.
    ///   - waiting: The time to wait for another process. Nil for ``patience``.
    ///   - decide: Reads the stored values in ``contents``; returns the changes, if any, or nil to refuse.
    /// - Returns: false if it was refused.
    @discardableResult
    func change(
        origin: SettingsService.Origin = .local, waiting: @autoclosure () -> Duration? = nil,
        _ decide: () throws -> [JournalChange]?
    ) throws -> Bool {
        if isDetached { return try changeMemory(origin: origin, decide) }
        var changes: [JournalChange] = []
        return try change(origin: origin, waiting: waiting() ?? patience) { (place, append) in
            guard let decided = try decide() else { return false }
            changes = decided
            guard !changes.isEmpty else { return true }
            try requireRoom(for: changes)
            var frame: [UInt8] = []
            frame.reserveCapacity(JournalFrame.headerSize + JournalFrame.bodySize(of: changes))
            JournalFrame.append(.changes(changes), at: place, to: &frame)
            try frame.withUnsafeBytes(append)
            return true
        } make: { contents, position, published in
            published = contents.set(changes, at: position)
        }
    }

    /// Sets members of the property list with their types, and removes names, as one change. Skips members that are already
    /// stored.
    func set(_ edit: PropertyListEdit) throws {
        var needed = PropertyListEdit()
        try change(waiting: patience) { (place, append) in
            needed = contents.withLock { contents in
                PropertyListEdit(
                    removed: edit.removed.filter { contents.data(named: $0) != nil },
                    members: edit.members.filter { contents.value(named: $0.key) != $0.value.writable })
            }
            guard !needed.isEmpty else { return true }
            try requireRoom(
                for: needed.removed.map { JournalChange(name: $0, data: nil) }
                    + needed.members.map { JournalChange(name: $0.key, data: NativeValue.bytes(of: $0.value)) })
            for index in needed.members.indices { needed.members[index].value = needed.members[index].value.writable }
            let document = try XMLPropertyListWriter.write(needed.members)
            var frame: [UInt8] = []
            JournalFrame.append(
                .members(JournalEdit(removed: needed.removed, members: document)), at: place, to: &frame)
            try frame.withUnsafeBytes(append)
            return true
        } make: { contents, position, published in
            published = contents.set(needed, at: position)
        }
    }

    /// Makes changes in memory only, after those in the journal so far.
    private func changeMemory(
        origin: SettingsService.Origin, _ decide: () throws -> [JournalChange]?
    ) throws -> Bool {
        try withFiles { files in
            try catchUp(&files)
            guard let changes = try decide() else { return false }
            // The position is after all journals, so that an edit of the file does not replace the change.
            contents.withLock { contents in publish(contents.set(changes, at: .max), origin: origin) }
            return true
        }
    }

    /// Removes everything.
    func removeAll() throws {
        // Removes recent edits of the property list, too.
        try refresh(waiting: patience)
        // Removed by name: a member that is later added by hand stays, in every process that reads both files.
        let names = contents.withLock { $0 }.names
        try change { names.map { JournalChange(name: $0, data: nil) } }
    }

    /// Appends a record to the journal and then makes its changes in memory.
    ///
    /// - Parameters:
    ///   - waiting: The time to wait for another process.
    ///   - encode: Receives the place of the record and a function that appends it to the journal, which it calls once, or not at
    ///     all if nothing changes. Returns false to refuse.
    ///   - make: Makes the changes, and adds those to be published to an empty array.
    /// - Returns: false if `encode` has refused.
    @discardableResult
    private func change(
        origin: SettingsService.Origin = .local, waiting: @autoclosure () -> Duration,
        _ encode: (JournalPlace, _ append: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool,
        make: (inout PropertyListContents, Int64, inout [SettingsStoreChange]) -> Void
    ) throws -> Bool {
        let (isDone, isChanged) = try withLockedJournal(waiting: waiting()) { files in
            shortenJournal(&files)
            guard let journal = files.cursor.journal else { return (false, false) }
            let place = journal.place
            guard try encode(place, { try append($0, to: journal) }) else { return (false, false) }
            if journal.position == place.offset { return (true, false) }
            let position = journal.historyPosition
            files.ownPosition = position
            var changes: [SettingsStoreChange] = []
            swap(&changes, &files.changes)
            contents.withLock { contents in
                make(&contents, position, &changes)
                publish(changes, origin: origin)
            }
            changes.removeAll(keepingCapacity: changes.count == 1)
            swap(&changes, &files.changes)
            return (true, true)
        }
        if isChanged {
            // The end of the process needs no announcement: closing the journal is one.
            if announcer.announce() { startWatching() }
            scheduleFold()
        }
        return isDone
    }

    /// Appends a record to the locked journal.
    ///
    /// - Throws: `tooLarge`; the system's errors. The journal is unchanged in that case.
    func append(_ frame: UnsafeRawBufferPointer, to journal: Journal) throws {
        guard Int64(journal.position) + Int64(frame.count) <= limits.journal else {
            throw SettingsError(.tooLarge, store: description, underlying: TooMuch.journal(limit: limits.journal))
        }
        end.publishIntended(journal.position + UInt64(frame.count))
        do {
            try journal.append(frame)
        } catch {
            end.publishIntended(journal.position)
            throw error
        }
    }

    /// The greatest size of a record's other fields beside a name and its bytes.
    static var fieldsSize: Int { 64 }

    /// Refuses changes that would make the property list too large to be read.
    ///
    /// - Parameter others: The bytes of later changes.
    func requireRoom(for changes: [JournalChange], beside others: Int = 0) throws(SettingsError) {
        let (growth, size) = contents.withLock { contents in
            let growth = changes.reduce(0) { growth, change in
                let present = contents.data(named: change.name)
                return growth + PropertyListContents.size(of: change.name, change.data)
                    - PropertyListContents.size(of: change.name, present)
            }
            return (growth, contents.size)
        }
        try requireRoom(growth, size + others)
    }

    private func requireRoom(_ growth: Int, _ size: Int) throws(SettingsError) {
        guard growth > 0, size + growth > limits.contents else { return }
        throw SettingsError(.tooLarge, store: description, underlying: TooMuch.contents(limit: limits.contents))
    }
}
