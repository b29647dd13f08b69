#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LayeredStore {
    /// Stores bytes under a key in the writable layer, or removes it there.
    ///
    /// - Throws: ``SettingsError`` with the code `locked` if a layer above the writable one has a value or cannot be read;
    ///   otherwise as the writable layer does.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        let (isKnown, obstacle) = mirror.contents.withLock { contents in
            (contents.isFollowingAll, contents.obstacle(to: key.name, disregarding: nil))
        }
        if isKnown {
            if let obstacle, try isGone(obstacle, to: key) { return try set(key, to: data) }
        } else {
            try read([key])
            let obstacle = mirror.contents.withLock { $0.obstacle(to: key.name, disregarding: nil) }
            if let obstacle, try isGone(obstacle, to: key) { return try set(key, to: data) }
        }
        try writable.set(key, to: data)
    }

    /// Applies a batch to the writable layer if no written key is locked and the expectations hold.
    ///
    /// - Throws: As ``set(_:to:)`` does. An obstacle that is in `disregardedLocks` locks nothing.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        if !mirror.contents.withLock({ $0.isFollowingAll }) { try read((batch.writes + batch.expectations).map(\.key)) }
        let (obstacle, lower, isKnown) = mirror.contents.withLock { contents in
            let (obstacle, lower) = contents.lowered(batch)
            return (obstacle, lower, contents.isFollowingAll)
        }
        if let (obstacle, key) = obstacle, try isGone(obstacle, to: key) { return try apply(batch) }
        guard let lower else { return false }
        // If all layers are followed, the contents have their current values.
        return try batch.isQuestion && isKnown || writable.apply(lower)
    }

    /// Empties the writable layer.
    ///
    /// - Throws: As the writable layer does.
    public func removeAll() throws { try writable.removeAll() }

    /// Returns whether an obstacle was a damaged file that is now intact.
    ///
    /// - Throws: `locked` if the obstacle still exists.
    private func isGone(_ obstacle: Obstacle, to key: SettingsService.StorageKey) throws(SettingsError) -> Bool {
        if case .unreadable = obstacle, recordRepairs() { return true }
        throw error(for: obstacle, key)
    }

    /// Returns the obstacle to writing a key, once the store has been read.
    ///
    /// - Parameter disregarded: The candidates that lock nothing, because the setting rejects them.
    func lock(
        of key: SettingsService.StorageKey, disregarding disregarded: [SettingsStoreCandidate]
    ) -> SettingsService.Lock? {
        let obstacle = mirror.contents.withLock { $0.obstacle(to: key.name, disregarding: disregarded) }
        switch obstacle {
        case nil: return (writable as? LayeredStore)?.lock(of: key, disregarding: [])
        case .candidate(let candidate, let layer):
            return .init(layer: layerNames[layer] ?? "", location: candidate.location)
        case .unreadable(let error, let layer):
            // A damaged file may now be intact.
            if recordRepairs() { return lock(of: key, disregarding: disregarded) }
            return .init(layer: layerNames[layer] ?? "", problem: error)
        }
    }

    private func error(for obstacle: Obstacle, _ key: SettingsService.StorageKey) -> SettingsError {
        switch obstacle {
        case .candidate(let candidate, let layer):
            SettingsError(
                .locked, key: key, store: stores[layer]?.storeDescription, layer: layerNames[layer],
                underlying: candidate.location.map(LockingText.init))
        case .unreadable(let error, let layer):
            SettingsError(
                .lockedByUnreadableLayer, key: key, store: stores[layer]?.storeDescription, layer: layerNames[layer],
                underlying: error)
        }
    }
}

extension LayeredContents {
    /// Returns the batch for the writable layer; nil if an expectation does not hold; or the obstacle to writing a key.
    fileprivate mutating func lowered(
        _ batch: SettingsStoreBatch
    ) -> (obstacle: (LayeredStore.Obstacle, SettingsService.StorageKey)?, batch: SettingsStoreBatch?) {
        for write in batch.writes {
            let name = write.key.name
            if let obstacle = obstacle(to: name, disregarding: batch.options.disregardedLocks[name]) {
                return ((obstacle, write.key), nil)
            }
        }
        var lower = batch
        lower.options.disregardedLocks = [:]
        lower.expectations = []
        for expectation in batch.expectations {
            let list = list(of: expectation.key.name)
            let holds =
                if let candidates = expectation.candidates {
                    list == candidates
                } else {
                    list.storedData == expectation.data
                }
            guard holds else { return (nil, nil) }
            lower.expectations.append(.init(key: expectation.key, data: list.first { $0.layer == nil }?.data))
        }
        return (nil, lower)
    }
}
