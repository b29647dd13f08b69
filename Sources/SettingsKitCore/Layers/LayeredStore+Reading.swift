#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Layers that are not followed: they are loaded when possible, and read at each access until then.
extension LayeredStore {
    /// Reads the values of the layers that are not followed under keys.
    ///
    /// - Throws: The error of the writable layer. Errors of other layers are reported, and their last known values are used.
    func read(_ keys: [SettingsService.StorageKey]) throws(SettingsError) {
        attend()
        try readUnfollowed(keys)
    }

    private func readUnfollowed(_ keys: [SettingsService.StorageKey]) throws(SettingsError) {
        let layers = mirror.contents.withLock { $0.layersToRead() }
        var answers: [(name: String, layer: Int, revision: Int, data: Data?)] = []
        var failures: [(layer: Int, error: SettingsError)] = []
        for key in keys {
            for (layer, revision) in layers {
                do {
                    answers.append((key.name, layer, revision, try stores[layer]?.get(key)))
                } catch {
                    if layerNames[layer] == nil {
                        throw .wrap(error, as: .readFailed, key: key, store: storeDescription)
                    }
                    failures.append((layer, readError(error, of: layer)))
                }
            }
        }
        record(answers, failures)
    }

    private func record(
        _ answers: [(name: String, layer: Int, revision: Int, data: Data?)],
        _ failures: [(layer: Int, error: SettingsError)]
    ) {
        let problems = mirror.contents.withLock { contents in
            for answer in answers {
                contents.record(answer.data, under: answer.name, of: answer.layer, revision: answer.revision)
            }
            // Recorded last: reading another name does not make up for a failure.
            return failures.filter { contents.recordFailure($0.error, of: $0.layer) }
        }
        for problem in problems { mirror.feed.report(problem.error) }
    }

    private func readError(_ error: any Error, of layer: Int) -> SettingsError {
        SettingsError.wrap(error, as: .readFailed, store: stores[layer]?.storeDescription)
            .completed(key: nil, store: nil, layer: layerNames[layer])
    }

    /// Returns the names that layers list, and other known ones.
    func readKeys(of layers: [Int], and known: [String]) throws -> [String] {
        var names = Set(known)
        for layer in layers {
            do {
                names.formUnion(try stores[layer]?.keys() ?? [])
            } catch SettingsError.Code.unsupported {
                throw SettingsError(.unsupported, store: stores[layer]?.storeDescription, layer: layerNames[layer])
            } catch {
                let error = readError(error, of: layer)
                if layerNames[layer] == nil { throw error }
                record([], [(layer, error)])
            }
        }
        return Array(names)
    }

    // MARK: Loading

    /// Loads the layers that are to be loaded, and publishes the changes that have waited for a layer. Called with no lock held.
    ///
    /// - Parameter forced: The layer to try again even if the last attempt was a moment ago.
    func attend(forced: Int? = nil) {
        HeldLocks.requireNone(before: "a layer")
        for layer in mirror.contents.withLock({ $0.layersToLoad }) { load(layer, isForced: layer == forced) }
        for name in mirror.contents.withLock({ $0.deferredNames }) { publishDeferred(name) }
        mirror.contents.withLock { mirror.update(from: $0) }
        mirror.feed.flush()
    }

    private func load(_ layer: Int, isForced: Bool) {
        guard let store = stores[layer], let feed = store.feed,
            mirror.contents.withLock({ $0.beginLoading(layer, isForced: isForced) })
        else { return }
        do {
            try requireOpen(store)
            let isExhaustive = feed.isExhaustive
            guard isExhaustive, let values = try values(of: store) else {
                mirror.contents.withLock {
                    $0.readThrough(layer, isLoadDue: !isExhaustive && feed.isExhaustive)
                }
                return
            }
            let damage =
                (store as? any LocatingStore)?.isDamaged == true
                ? readError(SettingsError(.damaged), of: layer) : nil
            mirror.contents.withLock { contents in
                if let damage { contents.recordDamage(damage, of: layer) }
                mirror.feed.publish(contents.finishLoading(layer, with: values), origin: .external)
                if contents.isFollowingAll, !mirror.feed.isExhaustive { mirror.feed.becomeExhaustive() }
            }
        } catch {
            let error = readError(error, of: layer)
            if mirror.contents.withLock({ $0.failLoading(layer, error) }) { mirror.feed.report(error) }
        }
    }

    /// Records which damaged files are now intact.
    ///
    /// - Returns: Whether there are any.
    func recordRepairs() -> Bool {
        let repaired = mirror.contents.withLock { $0.damagedLayers }.filter { layer in
            (stores[layer] as? any LocatingStore)?.isDamaged != true
        }
        mirror.contents.withLock { contents in for layer in repaired { contents.recordRepair(of: layer) } }
        return !repaired.isEmpty
    }

    /// Tries to open a store that may not be open yet.
    ///
    /// - Throws: The reason if it cannot be opened: its answers are provisional.
    private func requireOpen(_ store: any SettingsStore) throws(SettingsError) {
        // Compared first, because a failing cast takes as long as reading a small file.
        guard type(of: store) == RecoveringStore.self, let store = store as? RecoveringStore else { return }
        try store.requireOpen()
    }

    /// Returns all values of a store; nil if it cannot list its names.
    private func values(of store: any SettingsStore) throws -> [String: Data]? {
        var values: [String: Data] = [:]
        do {
            for name in try store.keys() where SettingsService.StorageKey.isValid(name) {
                values[name] = try store.get(.init(name, scope: .defaults))
            }
        } catch SettingsError.Code.unsupported {
            return nil
        }
        return values
    }

    /// Publishes a change that had to wait because a layer without a feed had not been read.
    private func publishDeferred(_ name: String) {
        if SettingsService.StorageKey.isValid(name) {
            do {
                try readUnfollowed([.init(name, scope: .defaults)])
            } catch {
                // The known values are published. The next reader receives the error.
            }
        }
        mirror.contents.withLock { contents in
            guard let (change, origin) = contents.removeDeferred(name) else { return }
            mirror.feed.publish([change], origin: origin)
        }
    }
}
