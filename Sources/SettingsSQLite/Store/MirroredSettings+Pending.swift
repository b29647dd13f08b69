import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changes made while another process keeps the database locked: they are in force in this process immediately, and committed as
/// soon as the lock is free.
extension MirroredSettings {
    /// The time that a change waits before it is kept.
    var waitingToKeep: Duration { contents.withLock { $0.pending.waiting(patience) } }

    /// Puts writes in force that cannot be stored now, and schedules storing them.
    func keep(_ writes: [SettingsStoreBatch.Entry]) {
        let new = contents.withLock { contents in
            let stored = contents.stored
            let (changes, new) = contents.pending.keep(writes) { stored[$0] }
            feed.publish(changes, origin: .local)
            return new
        }
        feed.flush()
        // The database stays open until nothing is pending.
        pendingWriter.begin(new) { [self] in try writePending(waiting: .zero) }
    }

    /// Writes the pending changes.
    ///
    /// - Throws: `busy` if another process keeps the database locked.
    func writePending(waiting: Duration) throws {
        let pending = contents.withLock { $0.pending }
        if pending.isEmpty || pending.isInherited {
            if pending.isEmpty { pendingWriter.finish() }
            return
        }
        defer { afterAccess() }
        let deadline = Deadline(after: waiting)
        _ = try withAccess(until: deadline) { access in
            try reconnectInChild(&access)
            try writePending(&access, deadline)
            return true
        }
    }

    /// The same while the lock is held. If the database refuses a value, or is gone, this reports it and discards the value. The
    /// values beside a refused one are then stored one by one.
    func writePending(_ access: inout Access, _ deadline: Deadline) throws {
        let pending = contents.withLock { $0.pending }
        if pending.isEmpty { return }
        do {
            try store(pending, &access, deadline)
        } catch let error as SettingsError where error.code == .fileReplaced {
            end(pending)
            problems.withLock { $0.append(error) }
        } catch let error as SettingsError where !Self.transient.contains(error.code) {
            for write in pending.writes {
                var one = PendingValues()
                _ = one.keep([write]) { _ in nil }
                do {
                    try store(one, &access, deadline)
                } catch let error as SettingsError where !Self.transient.contains(error.code) {
                    end(one)
                    problems.withLock { $0.append(error.completed(key: write.key, store: description)) }
                }
            }
        }
        if contents.withLock({ $0.pending.isEmpty }), let recovery = pendingWriter.endPending() {
            problems.withLock { $0.append(recovery) }
        }
    }

    /// The codes of errors after which another attempt may succeed.
    private static let transient: Set<SettingsError.Code> = [
        .busy, .diskFull, .writeFailed, .readFailed, .readOnly, .storeUnavailable, .corruptDatabase, .notADatabase,
    ]

    private func store(_ pending: PendingValues, _ access: inout Access, _ deadline: Deadline) throws {
        let writes = pending.writes
        _ = try change(&access, deadline) { _ in writes }
        end(pending)
    }

    /// Removes pending values, because the database has them or refuses them.
    private func end(_ others: PendingValues) {
        contents.withLock { contents in
            let before = others.names.map { ($0, contents.data(named: $0)) }
            contents.pending.remove(others)
            feed.publish(contents.changes(from: before), origin: .local)
        }
    }

    /// Discards the pending values of the parent process, which stores them.
    func dropPending(_ contents: inout Contents) {
        let stored = contents.stored
        feed.publish(contents.pending.drop { stored[$0] }, origin: .external)
    }
}

extension MirroredSettings.Contents {
    /// Returns the changes since some names had other bytes.
    fileprivate func changes(from before: [(name: String, data: Data?)]) -> [SettingsStoreChange] {
        before.compactMap { name, old in
            let new = data(named: name)
            return old == new ? nil : .init(name: name, from: old, to: new)
        }
    }
}
