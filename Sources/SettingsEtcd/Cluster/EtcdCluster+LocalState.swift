import SettingsKitCore

/// Keeping what is known, and what was accepted, in the local files.
extension EtcdCluster {
    /// Keeps an accepted write in the local file.
    func store(_ write: QueuedWrite) throws {
        guard options.keepsWrites else { return }
        try localState.withLock { file in
            guard let file else { throw SettingsError(.storeClosed, store: description) }
            try file.accept(write)
        }
    }

    /// Stores what the cluster holds under names now, and removes writes that have ended.
    func keep(_ names: some Sequence<String>, removing ended: [QueuedWrite.ID] = []) {
        var isLost = false
        withLocalState { file in
            let update = change { state in
                defer { (state.unremoved, state.unkept) = ([], []) }
                var update = LocalState.Update(cluster: state.identity.cluster)
                update.removed = state.unremoved.union(ended)
                update.rebased = options.keepsWrites ? state.queue.takeRebased() : []
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
                // Stored with the next change.
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

    /// Stores everything that the cluster holds.
    func keepAll() {
        withLocalState { file in
            let (known, revision, cluster) = change {
                ($0.contents.allKnown, $0.contents.revision, $0.identity.cluster)
            }
            try file.replaceKnown(with: known, revision: revision, of: cluster)
        }
    }

    /// Keeps writes aside that were accepted for another cluster. If that fails, they stay in the local file, and the next
    /// start tries it again.
    func keepAside(_ writes: [QueuedWrite]) {
        if writes.isEmpty { return }
        do {
            // Without the lock, as it opens other files.
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
                // Another program is writing, or was stopped meanwhile. Stored with the next change.
                return nil
            } catch {
                return .wrap(error, as: .notSaved, store: description)
            }
        }
        if let failure { feed.report(failure) }
    }
}
