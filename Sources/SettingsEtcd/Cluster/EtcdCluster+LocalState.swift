import SettingsKitCore

/// Keeps the known state and the accepted writes in the local files.
extension EtcdCluster {
    /// Keeps an accepted write in the local file.
    ///
    /// - Parameter earlier: The write that it replaces there; nil for none.
    func store(_ write: QueuedWrite, insteadOf earlier: QueuedWrite.ID? = nil) throws {
        guard options.keepsWrites else { return }
        var write = write
        write.id = earlier ?? write.id
        try localState.withLock { file in
            guard let file else { throw SettingsError(.storeClosed, store: description) }
            try file.accept(write)
        }
    }

    /// Brings the local files up to date.
    func updateLocalFiles() {
        var isLost = false
        withLocalState { file in
            let update = state.withLock { $0.removeUnstored() }
            guard let file else { return }
            do {
                isLost = try !file.update(update) && update.revision > 0
            } catch {
                // It is stored with the next change.
                state.withLock { $0.putBack(update) }
                throw error
            }
        }
        if isLost {
            state.withLock { $0.contents.requireStoringAll() }
            updateLocalFiles()
        }
    }

    /// Keeps writes aside that were accepted for another cluster. If that fails, they stay in the local file, and the next start
    /// retries it.
    func keepAside(_ writes: [QueuedWrite]) {
        if writes.isEmpty { return }
        do {
            // Must not hold the lock, because it opens other files.
            try localState.withLock { $0 }?.keepAside(writes)
        } catch {
            feed.report(.wrap(error, as: .notSaved, store: description))
        }
    }

    func withLocalState(_ body: (LocalState?) throws -> Void) {
        let failure: SettingsError? = localState.withLock { file in
            do {
                try body(file)
                return nil
            } catch SettingsError.Code.busy {
                // Another program is writing, or was stopped while it was. The next change stores it.
                return nil
            } catch {
                return .wrap(error, as: .notSaved, store: description)
            }
        }
        if let failure { feed.report(failure) }
    }
}

extension EtcdCluster.State {
    /// Returns what the local files lack, which then counts as stored.
    fileprivate mutating func removeUnstored() -> LocalState.Update {
        let ((ended, rebased), (all, seen)) = (queue.removeUnstored(), contents.removeUnstored())
        return LocalState.Update(
            cluster: identity.cluster, ended: ended, rebased: rebased, all: all, seen: seen,
            revision: contents.revision)
    }

    /// Puts back what could not be stored.
    fileprivate mutating func putBack(_ update: LocalState.Update) {
        queue.putBack(ended: update.ended, rebased: update.rebased)
        contents.putBack(update.seen.keys)
        if update.all != nil { contents.requireStoringAll() }
    }
}
