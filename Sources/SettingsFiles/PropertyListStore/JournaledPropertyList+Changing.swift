import SettingsCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changing what is stored.
extension JournaledPropertyList {
    /// Stores bytes under a name, or removes it.
    func set(_ data: Data?, named name: String) throws {
        try change(named: name) { $0 == data ? nil : JournalChange(name: name, data: data) }
    }

    /// Decides what to store under a name when nobody else can change it, and stores it.
    ///
    /// - Parameter decide: Is given the bytes that are stored; answers the change of that name, or nil if they are to stay as
    ///   they are.
    func change(named name: String, _ decide: (Data?) throws -> JournalChange?) throws {
        var data: Data?
        try change { (buffer, place) in
            guard let decided = try decide(contents.withLock { $0.data(named: name) }) else { return true }
            data = decided.data
            try Self.requireSize(name.utf8.count + (data?.count ?? 0) + Self.fieldsSize)
            JournalFrame.appendChange(name: name, data: data, at: place, to: &buffer)
            return true
        } make: { contents, position in
            contents.set(data, named: name, at: position).map { [$0] } ?? []
        }
    }

    /// Carries out a batch if its expectations hold.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        let changes = batch.writes.map { JournalChange(name: $0.key.name, data: $0.data) }
        return try change {
            contents.withLock { contents in
                for expectation in batch.expectations
                where contents.data(named: expectation.key.name) != expectation.data {
                    return nil
                }
                return changes.contains { contents.data(named: $0.name) != $0.data } ? changes : []
            }
        }
    }

    /// Decides what to change when nobody else can change anything, and makes it as one change.
    ///
    /// - Parameters:
    ///   - origin: Whose change it is, to those who listen.
    ///   - decide: Asks ``contents`` what is stored; answers the changes, of which there may be none, or nil to refuse.
    /// - Returns: false if it was refused.
    @discardableResult
    func change(
        origin: SettingsService.Origin = .local, _ decide: () throws -> [JournalChange]?
    ) throws -> Bool {
        var changes: [JournalChange] = []
        return try change(origin: origin) { (buffer, place) in
            guard let decided = try decide() else { return false }
            changes = decided
            guard !changes.isEmpty else { return true }
            try Self.requireSize(JournalFrame.bodySize(of: changes))
            JournalFrame.append(.changes(changes), at: place, to: &buffer)
            return true
        } make: { contents, position in
            contents.set(changes, at: position)
        }
    }

    /// Removes everything.
    func removeAll() throws {
        // What somebody has just written into the property list goes, too.
        try refresh(waiting: patience)
        // By name: what somebody adds to the property list by hand later stays, whoever reads both.
        let names = contents.withLock { $0 }.names
        try change { names.map { JournalChange(name: $0, data: nil) } }
    }

    /// Appends a record to the journal and then makes its changes in memory.
    ///
    /// - Parameters:
    ///   - encode: Puts the record into the buffer, or nothing if nothing is to be changed; answers false to refuse.
    ///   - make: Makes the changes, and answers them.
    /// - Returns: false if `encode` has refused.
    @discardableResult
    private func change(
        origin: SettingsService.Origin = .local,
        _ encode: (inout [UInt8], JournalPlace) throws -> Bool,
        make: (inout PropertyListContents, Int64) -> [SettingsStoreChange]
    ) throws -> Bool {
        let (isDone, isChanged) = try withLockedJournal { access in
            guard let journal = access.journal else { return (false, false) }
            access.buffer.removeAll(keepingCapacity: access.buffer.capacity < Self.keptCapacity)
            guard try encode(&access.buffer, journal.place) else { return (false, false) }
            guard !access.buffer.isEmpty else { return (true, false) }
            try journal.append(access.buffer)
            contents.withLock { contents in
                publish(make(&contents, journal.historyPosition), origin: origin)
            }
            return (true, true)
        }
        if isChanged {
            announce()
            scheduleFold()
        }
        return isDone
    }

    /// A larger buffer than that is not kept for the next change.
    private static var keptCapacity: Int { 65_536 }

    /// What the fields of a record take beside a name and its bytes, at most.
    static var fieldsSize: Int { 64 }

    private static func requireSize(_ size: Int) throws(JournalProblem) {
        guard size <= JournalFrame.bodyLimit else { throw .tooLarge }
    }
}
