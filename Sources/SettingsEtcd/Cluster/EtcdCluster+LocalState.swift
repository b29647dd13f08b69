import SettingsKitCore

/// Keeps the known state and the accepted writes in the local files.
extension EtcdCluster {
    /// Keeps an accepted write in the local file.
    func store(_ write: QueuedWrite) throws {
        guard options.keepsWrites else { return }
        try localState.withLock { file in
            guard let file else { throw SettingsError(.storeClosed, store: description) }
            try file.accept(write)
        }
    }

    /// Stores the cluster's current values of some names, and removes ended writes.
    func keep(_ names: some Sequence<String>, removing ended: [QueuedWrite.ID] = []) {
        var isLost = false
        withLocalState { file in
            let update = change { state in
                defer { (state.unremoved, state.unkept) = ([], []) }
                var update = LocalState.Update(cluster: state.identity.cluster)
                update.removed = state.unremoved.union(ended)
                update.rebased = options.keepsWrites ? state.queue.removeRebased() : []
                for name in state.unkept.union(names) {
                    update.known[name] = .some(state.contents.known(name))
                    update.absent[name] = state.contents.absence(of: name)
                }
                // Before the first read, the file has the newer revision.
                if state.hasRead { update.revision = state.contents.revision }
                return update
            }
            do {
                isLost = try !file.update(update) && update.revision != nil
            } catch {
                // They are stored with the next change.
                change { state in
                    state.queue.putBack(update.rebased)
                    state.unremoved.formUnion(update.removed)
                    state.unkept.formUnion(update.known.keys)
                }
                throw error
            }
        }
        if isLost { keepAll() }
    }

    /// Stores the whole known state of the cluster.
    func keepAll() {
        withLocalState { file in
            let (known, revision, cluster) = change {
                ($0.contents.allKnown, $0.contents.revision, $0.identity.cluster)
            }
            try file.replaceKnown(with: known, revision: revision, of: cluster)
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

    func withLocalState(_ body: (LocalState) throws -> Void) {
        let failure: SettingsError? = localState.withLock { file in
            guard let file else { return nil }
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
