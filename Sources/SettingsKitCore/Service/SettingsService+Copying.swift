extension SettingsService {
    /// Copies every value of a store into another, in one batch. Values under other names in the target stay.
    ///
    /// Listeners of services that use the target are notified. From a store with layers, it copies the value of the highest layer
    /// that is a store, and never arguments or environment variables. Complexity: both stores handle all of the values.
    ///
    /// - Throws: ``SettingsError``; the target is unchanged then, as far as its batches are all or nothing.
    public static func copy(from source: any SettingsStore, to target: any SettingsStore) throws {
        let (source, target) = (ConnectedStore(source), ConnectedStore(target))
        var batch = SettingsStoreBatch(writes: [])
        for name in try source.keys() {
            let key = StorageKey(name, scope: .defaults)
            if let data = try source.get(key) { batch.writes.append(.init(key: key, data: data)) }
        }
        if !batch.writes.isEmpty { _ = try target.apply(batch) }
    }
}
