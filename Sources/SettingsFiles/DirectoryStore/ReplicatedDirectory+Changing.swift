import SettingsCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changing what is stored, on this device.
extension ReplicatedDirectory {
    /// Stores bytes under a name, or removes it.
    func set(_ data: Data?, named name: String) throws {
        try Self.requireSize(name, data)
        try list.change(named: name) { present in
            guard !SharedEntry.isValue(data, in: present), let stamp = tracker.nextStamp(now: now()) else { return nil }
            return SharedEntry(stamp: stamp, value: data).bytes
        }
        scheduleExport()
    }

    /// Carries out a batch if its expectations hold.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try change {
            for expectation in batch.expectations where value(named: expectation.key.name) != expectation.data {
                return nil
            }
            return batch.writes.map { ($0.key.name, $0.data) }
        }
    }

    /// Removes everything.
    func removeAll() throws {
        try change { records().map { ($0.name, nil) } }
    }

    /// Takes over values that count as older than everything else, for names of which nothing is known.
    ///
    /// - Returns: how many.
    func importValues(_ values: [(name: String, data: Data)]) throws -> Int {
        for (name, data) in values { try Self.requireSize(name, data) }
        var count = 0
        try list.change {
            guard let replica = tracker.memory?.replica else { return nil }
            let stamp = Stamp(instant: .earliest, replica: replica)
            let contents = list.contents.withLock { $0 }
            let new = values.filter { contents.data(named: $0.name) == nil }
            count = new.count
            return new.map { JournalChange(name: $0.name, data: SharedEntry(stamp: stamp, value: $0.data).bytes) }
        }
        scheduleExport()
        return count
    }

    /// Decides which values to set, and sets those that differ, each with a stamp of its own.
    @discardableResult
    private func change(_ decide: () throws -> [(name: String, data: Data?)]?) throws -> Bool {
        let isDone = try list.change {
            guard let values = try decide() else { return nil }
            var changes: [JournalChange] = []
            // The last value for a name counts.
            var taken: Set<String> = []
            for (name, data) in values.reversed() where taken.insert(name).inserted {
                guard value(named: name) != data else { continue }
                try Self.requireSize(name, data)
                guard let stamp = tracker.nextStamp(now: now()) else { return nil }
                changes.append(JournalChange(name: name, data: SharedEntry(stamp: stamp, value: data).bytes))
            }
            return changes
        }
        scheduleExport()
        return isDone
    }

    private static func requireSize(_ name: String, _ data: Data?) throws {
        guard name.utf8.count + (data?.count ?? 0) <= ReplicaFile.valueLimit else {
            throw SettingsError(.writeFailed, store: "DirectoryStore", underlying: ReplicaProblem.valueTooLarge)
        }
    }

    /// Sets anew what was set while the device's clock was ahead: until the clock is there again it would win over
    /// everything that anybody sets.
    ///
    /// It may as well be that the clock is behind now. So there must be others, none of whom is as far ahead.
    func correctClock() throws {
        let now = now()
        guard tracker.isAhead(of: now), let own = tracker.memory?.replica else { return }
        let others = table.withLock { table in
            table.files.values.compactMap { $0.summary?.header }.filter { $0.replica != own }
        }
        guard !others.isEmpty, !others.contains(where: { HybridClock.isAhead($0.written, of: now) }) else { return }
        var old: HybridClock?
        do {
            try list.change {
                let records = records()
                let restamping = Restamping(own: own, now: now)
                guard tracker.memory?.replica == own, !restamping.isContradicted(by: records) else { return nil }
                var clock = HybridClock()
                let restamped = restamping.outcome(of: records, clock: &clock)
                old = tracker.replaceClock(by: clock)
                return restamped.map { JournalChange(name: $0.name, data: $0.entry.bytes) }
            }
        } catch {
            // What could not be set anew must not be set before, either.
            if let old { tracker.replaceClock(by: old) }
            throw error
        }
    }
}
