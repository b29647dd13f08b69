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
        try requireSize(name, data)
        let count = tracker.ownChanges
        try list.change(named: name) { present in
            guard !SharedEntry.isValue(data, in: present) else { return nil }
            let entry = SharedEntry(stamp: tracker.nextStamp(now: now()), value: data)
            return JournalChange(name: name, data: entry.bytes)
        }
        if tracker.ownChanges != count { scheduleExport() }
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
        for (name, data) in values { try requireSize(name, data) }
        var count = 0
        try list.change {
            let stamp = Stamp(instant: .earliest, replica: tracker.memory.replica)
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

    /// Sets anew what was set while the device's clock was ahead: until the clock is there again it would win over
    /// everything that anybody sets.
    ///
    /// It may as well be that the clock is behind now. So there must be others, none of whom is as far ahead.
    func correctClock() throws {
        let now = now()
        guard tracker.isAhead(of: now) else { return }
        let others = othersHeaders
        let latest = table.withLock { $0.files.values.compactMap { $0.summary?.latest }.max() } ?? .earliest
        guard !others.isEmpty, !others.contains(where: { HybridClock.isAhead($0.written, of: now) }) else { return }
        var old: HybridClock?
        do {
            try list.change {
                let records = records()
                let restamping = Restamping(own: tracker.memory.replica, now: now)
                guard !restamping.isContradicted(by: records) else { return nil }
                // Also after what others know of, which may be unknown here by now.
                var clock = HybridClock(last: latest)
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
