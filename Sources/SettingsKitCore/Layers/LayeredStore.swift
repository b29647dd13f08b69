#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Combines stores, arguments, environment variables and files. The value of the highest layer that has one is in force.
///
/// ```swift
/// let settings = SettingsService(defaults: try LayeredStore([
///     .locked(managed, name: "managed"),                // an administrator's store: its values cannot be changed
///     .arguments(),                                     // --volume=0.8  --volume 0.8  --muted  --no-muted
///     .environment(prefix: "PLAYER_"),                  // PLAYER_VOLUME=0.8; "sound.volume" is PLAYER_SOUND_VOLUME
///     .writable(try PropertyListStore.standard()),      // one at most
///     .fallback(systemWide, name: "system"),            // read when nothing above has a value
/// ]))
/// ```
///
/// The order of the array is the precedence. Locked layers are above the writable one, and fallbacks below it; arguments, variables,
/// files and directories may be anywhere. If a setting's type or validation rejects a layer's value, the setting uses the next layer's.
///
/// ## Writing
/// Every function writes only to the writable layer: setting, removing, batches, ``removeAll()`` and ``synchronize()``. Arguments
/// and variables are never written to a file. After a value is removed, the one below is in force.
///
/// A value in a layer above the writable one locks its setting: setting or removing it throws
/// ``SettingsError/Code/locked`` with the name of the layer, and a batch with one locked key changes nothing.
///
/// Without a writable layer, as in a container with a read-only root, every change throws ``SettingsError/Code/readOnly``.
///
/// A batch is as atomic as the writable layer's. Its expectations compare the value in force: the other layers when the
/// batch begins, and the writable layer at the moment of writing.
///
/// ## Changes
/// A change of any layer is published at once, during that layer's publication. The feed is exhaustive if those of all layers are;
/// reading then costs the same as without layers. A layer without an exhaustive feed is read at each access; its changes are
/// published if they are made through this process, and otherwise when it is read.
///
/// ## Layers that cannot be read
/// A layer that could be read once keeps its last known values, and its locks. While a layer above the writable one has not been
/// read, or if its file is damaged from the beginning, every name that it may lock is locked, and the error is reported on the
/// feed. Reading uses the other layers. The layer is tried again when its feed publishes, and when this store is used, at most ten
/// times a second.
///
/// All functions may be called from any thread.
public final class LayeredStore: LayeredSettingsStore {
    /// An obstacle to writing a name.
    enum Obstacle {
        case candidate(SettingsStoreCandidate, layer: Int)
        case unreadable(SettingsError, layer: Int)
    }

    let writable: any SettingsStore
    let layers: [Layer]
    /// The names of the layers, the highest first; nil is the writable one. Without a writable layer, nil is the first: it has no
    /// values, and refuses every change.
    public let layerNames: [String?]
    private let contents: LayeredContents
    private let reader: LayerReader
    /// The layers that must know the names that are read.
    private let nameFollowing: [any NameFollowingStore]
    private let subscriptions: [SettingsService.Subscription]
    /// The objects that follow the texts of layers.
    private let followers: [any Sendable]

    /// Combines layers, the highest first, and reads them.
    ///
    /// - Parameter layers: The layers: at most one is writable, locked ones are above and fallbacks below it, and the names differ.
    /// - Throws: ``SettingsError`` with the code `invalidLayers`, or the error of a required file. Another layer that cannot be read
    ///   is no error: it is reported to the diagnostics of the service that uses the store.
    public init(_ layers: [Layer]) throws {
        var (layers, position) = try Layer.usable(layers)
        for index in layers.indices {
            guard let text = layers[index].followed, !(text is SharedText) else { continue }
            layers[index].source = .followed(try SharedText(text))
        }
        self.layers = layers
        layerNames = layers.map(\.name)
        let stores = layers.map { layer in
            if case .store(let store) = layer.source { store.serialized } else { nil as (any SettingsStore)? }
        }
        guard let writable = stores[position] else { preconditionFailure("The writable layer is a store.") }
        self.writable = writable
        nameFollowing = stores.compactMap { $0 as? any NameFollowingStore }
        let earlier = zip(layers, stores).compactMap { layer, store in
            store?.feed.map { (layer: layer.name, bytes: $0.earlier) }
        }
        let contents = LayeredContents(
            LayerTable(layers, writable: position), earlier: EarlierBytes(ofLayers: earlier),
            agreesWithOthers: writable.agreesWithOthers)
        let reader = LayerReader(stores, named: layerNames, writable: position, into: contents)
        (self.contents, self.reader) = (contents, reader)
        subscriptions = stores.enumerated().compactMap { layer, store in
            let observer = LayerObserver(of: layer, named: layers[layer].name, in: contents, with: reader)
            return store?.feed?.observe(by: observer, publishingOn: contents.feed)
        }
        followers = try layers.enumerated().compactMap { layer, source in
            let observer = LayerObserver(of: layer, named: source.name, in: contents, with: reader)
            return try source.followed?.follow { observer.receive($0) }
        }
        reader.begin()
    }

    // MARK: SettingsStore

    /// The store itself.
    public var _layered: (any SettingsStore)? { self }

    /// Publishes every change of a layer.
    public var feed: SettingsStoreFeed? { contents.feed }

    /// The description of the writable layer.
    public var storeDescription: String { writable.storeDescription }

    /// Returns the layers' candidates for a key, the highest first. Constant time, without a call of a store, if all layers have
    /// exhaustive feeds.
    ///
    /// - Throws: The error of the writable layer if it must be read and cannot be.
    package func candidates(for key: SettingsService.StorageKey) throws -> [SettingsStoreCandidate] {
        for store in nameFollowing { store.follow(key.name) }
        try prepare { [key] }
        return contents.table.withLock { $0.candidates(under: key.name) }
    }

    /// Returns the bytes of the highest candidate in stored form: of a store, or of a property list that is a file.
    ///
    /// - Throws: The error of the writable layer if it must be read and cannot be.
    public func get(_ key: SettingsService.StorageKey) throws -> Data? {
        try candidates(for: key).storedData
    }

    /// Returns the names that have a value in any layer that is a store.
    ///
    /// - Throws: The error of a layer that cannot list its names, or of the writable layer. For another layer that cannot be read
    ///   now, the known names are returned.
    public func keys() throws -> [String] { try reader.storedNames() }

    /// Stores bytes under a key in the writable layer, or removes it there.
    ///
    /// - Throws: ``SettingsError`` with the code `locked` if a layer above the writable one has a value or cannot be read;
    ///   otherwise as the writable layer does.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try prepare { [key] }
        if let obstacle = contents.table.withLock({ $0.obstacle(to: key.name, disregarding: []) }) {
            try requireGone(obstacle, to: key)
            return try set(key, to: data)
        }
        try writable.set(key, to: data)
    }

    /// Applies a batch to the writable layer if no written key is locked and the expectations hold.
    ///
    /// - Throws: As ``set(_:to:)`` does. An obstacle that is in `disregardedLocks` locks nothing.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try prepare { (batch.writes + batch.expectations).map(\.key) }
        let (obstacle, lower, isKnown) = contents.table.withLock { table in
            (table.obstacle(to: batch), table.lowered(batch), table.isFollowingAll)
        }
        if let (obstacle, key) = obstacle {
            try requireGone(obstacle, to: key)
            return try apply(batch)
        }
        guard let lower else { return false }
        // If all layers are followed, the contents have their current values.
        return try batch.writes.isEmpty && isKnown || writable.apply(lower)
    }

    /// Empties the writable layer.
    ///
    /// - Throws: As the writable layer does.
    public func removeAll() throws { try writable.removeAll() }

    /// Waits until every change of the writable layer made before the call survives a power failure.
    public func synchronize() throws { try writable.synchronize() }

    /// Waits until every change made before the call also can be read by other programs in the file of the writable layer.
    public func bringUpToDate() throws { try writable.bringUpToDate() }

    /// The errors because of which layers cannot be read, with the layers' names.
    package var layerProblems: [SettingsError] {
        reader.attend()
        _ = reader.recordRepairs()
        return contents.table.withLock { $0.problems }
    }

    /// Whether a layer has secrets.
    var hasSecrets: Bool { layers.contains(where: \.isSecret) }

    /// Returns the entries in the layers' texts that do not have the meaning that their author expects.
    ///
    /// - Parameter names: The names of all settings.
    func textFindings(for names: [String]) -> [LayerTextFinding] {
        contents.table.withLock { $0.texts.all }.flatMap { $0.text.findings(for: names) }
    }

    /// Reads keys in the layers that are not followed, before their values are used.
    private func prepare(_ keys: () -> [SettingsService.StorageKey]) throws(SettingsError) {
        if !contents.feed.isExhaustive { try reader.read(keys()) }
    }

    // MARK: Locks

    /// Returns the obstacle to writing a key, once the store has been read.
    ///
    /// - Parameter disregarded: The candidates that lock nothing, because the setting rejects them.
    func lock(
        of key: SettingsService.StorageKey, disregarding disregarded: [SettingsStoreCandidate]
    ) -> SettingsService.Lock? {
        switch contents.table.withLock({ $0.obstacle(to: key.name, disregarding: disregarded) }) {
        case nil: return (writable as? LayeredStore)?.lock(of: key, disregarding: [])
        case .candidate(let candidate, let layer)?:
            return .init(layer: layerNames[layer] ?? "", location: candidate.location)
        case .unreadable(let error, let layer)?:
            // A damaged file may now be intact.
            if reader.recordRepairs() { return lock(of: key, disregarding: disregarded) }
            return .init(layer: layerNames[layer] ?? "", problem: error)
        }
    }

    /// Requires that an obstacle was a damaged file that is now intact.
    ///
    /// - Throws: `locked` if the obstacle still exists.
    private func requireGone(_ obstacle: Obstacle, to key: SettingsService.StorageKey) throws(SettingsError) {
        let (code, layer, underlying): (SettingsError.Code, Int, (any Error)?)
        switch obstacle {
        case .candidate(let candidate, let position):
            (code, layer, underlying) = (.locked, position, candidate.location.map(LockingText.init))
        case .unreadable(let error, let position):
            if reader.recordRepairs() { return }
            (code, layer, underlying) = (.lockedByUnreadableLayer, position, error)
        }
        throw SettingsError(
            code, key: key, store: reader.stores[layer]?.storeDescription, layer: layerNames[layer],
            underlying: underlying)
    }
}

extension LayeredStore: NameFollowingStore {
    package func follow(_ name: String) {
        for store in nameFollowing { store.follow(name) }
        // Texts have no list of names.
        if !followers.isEmpty { contents.table.withLock { _ = $0.candidates(under: name) } }
    }
}

extension LayeredStore: LocatingStore {
    /// Returns the description of the layer's store.
    package func description(ofLayer layer: String?) -> String {
        layerNames.firstIndex(of: layer).flatMap { reader.stores[$0]?.storeDescription } ?? storeDescription
    }

    /// Returns the line in the file of the highest layer that holds these bytes under the name, if that layer knows lines.
    package func line(of name: String, holding data: Data) -> Int? {
        guard let layer = contents.table.withLock({ $0.layer(holding: data, under: name) }) else { return nil }
        return (reader.stores[layer] as? any LocatingStore)?.line(of: name, holding: data)
    }
}
