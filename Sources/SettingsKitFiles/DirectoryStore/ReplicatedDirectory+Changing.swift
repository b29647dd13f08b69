import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changes settings on this device.
extension ReplicatedDirectory {
    /// Stores bytes under a name, or removes the name. An equal value is no change.
    func set(_ data: Data?, named name: String) throws {
        try requireSize(name, data)
        let changes = tracker.changes
        try list.change(named: name, waiting: list.patience) { present in
            guard !SharedEntry.isValue(data, in: present) else { return .keep }
            return .store(SharedEntry(stamp: tracker.nextStamp(now: now()), value: data).bytes)
        }
        if tracker.changes != changes { scheduleExport() }
    }

    /// Applies a batch if its expectations hold.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try change {
            for expectation in batch.expectations where value(named: expectation.key.name) != expectation.data {
                return nil
            }
            return batch.writes.map { ($0.key.name, $0.data) }
        }
    }

    /// Removes all values.
    func removeAll() throws {
        try change { records().map { ($0.name, nil) } }
    }

    /// Imports values for names that have neither a value nor a remembered removal. They count as older than every
    /// change.
    ///
    /// - Returns: the number of imported values.
    func importValues(_ values: [(name: String, data: Data)]) throws -> Int {
        for (name, data) in values { try requireSize(name, data) }
        var count = 0
        try list.change {
            let stamp = Stamp(.earliest, by: tracker.memory.replica)
            let contents = list.contents.withLock { $0 }
            let new = values.filter { contents.data(named: $0.name) == nil }
            count = new.count
            return new.map { JournalChange(name: $0.name, data: SharedEntry(stamp: stamp, value: $0.data).bytes) }
        }
        scheduleExport()
        return count
    }

    /// Sets the values that `decide` returns, if they differ from the stored ones. Each change gets a separate stamp.
    @discardableResult
    private func change(_ decide: () throws -> [(name: String, data: Data?)]?) throws -> Bool {
        let isDone = try list.change {
            guard let values = try decide() else { return nil }
            var changes: [JournalChange] = []
            // If a name occurs more than once, the last value counts.
            var taken: Set<String> = []
            for (name, data) in values.reversed() where taken.insert(name).inserted {
                guard value(named: name) != data else { continue }
                try requireSize(name, data)
                let entry = SharedEntry(stamp: tracker.nextStamp(now: now()), value: data)
                changes.append(JournalChange(name: name, data: entry.bytes))
            }
            return changes
        }
        scheduleExport()
        return isDone
    }

    private func requireSize(_ name: String, _ data: Data?) throws {
        guard data?.count ?? 0 <= ReplicaFile.valueLimit, name.utf8.count <= ReplicaFile.nameLimit else {
            throw SettingsError(.writeFailed, store: list.description, underlying: ReplicaProblem.valueTooLarge)
        }
    }
}
