import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changes settings on this device.
extension ReplicatedDirectory {
    /// Stores bytes under a key, or removes it. If another process keeps the state locked, the change is kept, and stored
    /// later.
    func set(_ data: Data?, for key: SettingsService.StorageKey) throws {
        try requireSize(key.name, data)
        let changes = tracker.changes
        do {
            try writePending(waiting: .zero)
            try list.change(named: key.name, waiting: waitingToKeep) { present in
                guard !SharedEntry.isValue(data, in: present) else { return .keep }
                return .store(SharedEntry(stamp: tracker.nextStamp(now: now()), value: data).bytes)
            }
        } catch SettingsError.Code.busy {
            try keep([.init(key: key, data: data)])
        }
        if tracker.changes != changes { scheduleExport() }
    }

    /// Whether expectations hold for the values in memory, at one moment.
    func holds(_ expectations: [SettingsStoreBatch.Entry]) -> Bool {
        list.contents.withLock { contents in expectations.hold { tracker.value(named: $0, in: contents) } }
    }

    /// Applies a batch if its expectations hold. If another process keeps the state locked, a batch without expectations whose
    /// caller does not wait is kept, and stored later.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        let isKept = !batch.options.waitsForAgreement && batch.expectations.isEmpty
        do {
            return try change(waiting: isKept ? waitingToKeep : list.patience) {
                for expectation in batch.expectations where value(named: expectation.key.name) != expectation.data {
                    return nil
                }
                return batch.writes.map { ($0.key.name, $0.data) }
            }
        } catch SettingsError.Code.busy where isKept {
            for write in batch.writes { try requireSize(write.key.name, write.data) }
            try keep(batch.writes)
            return true
        }
    }

    /// Removes all values.
    func removeAll() throws {
        try change(waiting: list.patience) { records().map { ($0.name, nil) } }
    }

    /// Imports values for names that have neither a value nor a remembered removal. They count as older than every
    /// change.
    ///
    /// - Returns: the number of imported values.
    func importValues(_ values: [(name: String, data: Data)]) throws -> Int {
        for (name, data) in values { try requireSize(name, data) }
        try writePending(waiting: list.patience)
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
    private func change(
        waiting: Duration, _ decide: () throws -> [(name: String, data: Data?)]?
    ) throws -> Bool {
        try writePending(waiting: waiting)
        let isDone = try list.change(waiting: waiting) {
            guard let values = try decide() else { return nil }
            var changes: [JournalChange] = []
            // The last value of a repeated name counts.
            var taken: Set<String> = []
            for (name, data) in values.reversed() where taken.insert(name).inserted {
                guard storedValue(named: name) != data else { continue }
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
        guard data?.count ?? 0 <= DirectoryLimits.value, name.utf8.count <= DirectoryLimits.name else {
            throw SettingsError(.writeFailed, store: list.description, underlying: ReplicaProblem.valueTooLarge)
        }
    }
}
