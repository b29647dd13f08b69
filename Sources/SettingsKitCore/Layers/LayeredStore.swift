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
/// A service uses the layers themselves. Layers of a layered store that is itself a layer take its place.
///
/// ## Writing
/// Every function writes only to the writable layer: setting, removing, batches, ``removeAll()`` and ``synchronize()``. Arguments
/// and variables are never written to a file. After a value is removed, the one below is in force.
///
/// A value that is in force from a layer above the writable one locks its setting: setting or removing it throws
/// ``SettingsError/Code/locked`` with the name of the layer, and a batch with one locked key changes nothing.
///
/// Without a writable layer, as in a container with a read-only root, every change throws ``SettingsError/Code/readOnly``.
///
/// A batch is as atomic as the writable layer's.
///
/// ## Changes
/// A change of any layer reaches listeners at once. A layer without an exhaustive feed is read at each access.
///
/// ## Layers that cannot be read
/// While a layer above the writable one cannot be read, or if its file is damaged, every name is locked. Reading uses the other
/// layers, and reports the error.
///
/// ## Without a service
/// ``get(_:)`` returns the bytes of the first store among the layers that has any. A change is refused if a layer above the writable
/// one has the name or cannot be read. There is no feed: observe the settings of a service, or the feeds of the layers.
///
/// All functions may be called from any thread.
public final class LayeredStore: SettingsStore {
    let layers: [Layer]
    /// The position of the layer that is written to. Layers above it lock.
    let position: Int
    let writable: any SettingsStore

    /// Combines layers, the highest first.
    ///
    /// - Parameter layers: The layers: at most one is writable, locked ones are above and fallbacks below it, and the names differ.
    /// - Throws: ``SettingsError`` with the code `invalidLayers`, or the error of a required file. Another layer that cannot be read
    ///   is no error: it is reported to the diagnostics of the service that uses the store.
    public init(_ layers: [Layer]) throws {
        (self.layers, position) = try Layer.usable(layers)
        guard let writable = self.layers[position].store else { preconditionFailure("The writable layer is a store.") }
        self.writable = writable
    }

    /// The names of the layers, the highest first; nil is the writable one. Without a writable layer, nil is the first: it has no
    /// values, and refuses every change.
    public var layerNames: [String?] { layers.map(\.name) }

    // MARK: SettingsStore

    /// The description of the writable layer.
    public var storeDescription: String { writable.storeDescription }

    /// Returns the layers' candidates for a key, the highest first.
    ///
    /// - Throws: The error of the writable layer if it cannot be read. Other layers that cannot be read have no candidate.
    package func candidates(for key: SettingsService.StorageKey) throws -> [SettingsStoreCandidate] {
        try layers.indices.compactMap { index in
            let content = read(key, at: index)
            if index == position, let problem = content.problem { throw problem }
            return layers[index].candidate(content, isLocking: index < position)
        }
    }

    private func read(_ key: SettingsService.StorageKey, at index: Int) -> Held.Content {
        layers[index].read(key, in: layers[index].text, isLocking: index < position)
    }

    /// Returns the bytes of the first store among the layers that has any.
    ///
    /// - Throws: The error of the writable layer if it cannot be read.
    public func get(_ key: SettingsService.StorageKey) throws -> Data? {
        try candidates(for: key).first { $0.form == .stored }?.data
    }

    /// Returns the names that have a value in a layer that is a store.
    ///
    /// - Throws: The error of a layer that cannot list its names, or of the writable layer. Another layer that cannot be read is left
    ///   out.
    public func keys() throws -> [String] {
        var names: Set<String> = []
        for (index, layer) in layers.enumerated() {
            guard let store = layer.store else { continue }
            do {
                names.formUnion(try store.keys().filter(SettingsService.StorageKey.isValid))
            } catch {
                let error = SettingsError.wrap(error, as: .readFailed, store: store.storeDescription)
                if index == position || error.code == .unsupported {
                    throw error.completed(key: nil, store: nil, layer: layer.name)
                }
            }
        }
        return Array(names)
    }

    /// Stores bytes in the writable layer.
    ///
    /// - Throws: `locked` or `lockedByUnreadableLayer`; or the error of the writable layer.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try requireUnlocked([key])
        try writable.set(key, to: data)
    }

    /// Applies a batch to the writable layer.
    ///
    /// - Throws: `locked` or `lockedByUnreadableLayer`; or the error of the writable layer.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try requireUnlocked(batch.writes.map(\.key))
        return try writable.apply(batch)
    }

    private func requireUnlocked(_ keys: [SettingsService.StorageKey]) throws(SettingsError) {
        for key in keys {
            for index in 0..<position {
                let content = read(key, at: index)
                let candidate = layers[index].candidate(content, isLocking: true)
                guard candidate != nil || content.problem != nil else { continue }
                let lock = SettingsService.Lock(
                    layer: layers[index].name, location: candidate?.location, problem: content.problem,
                    in: layers[index].store)
                throw lock.error(of: key)
            }
        }
    }

    /// Removes all values of the writable layer.
    public func removeAll() throws { try writable.removeAll() }

    /// Waits until the writable layer's changes survive a power failure.
    public func synchronize() throws { try writable.synchronize() }

    /// Waits until other programs can read the writable layer's changes.
    public func bringUpToDate() throws { try writable.bringUpToDate() }

    // MARK: For people

    /// The errors because of which values are missing: of layers that cannot be read, or whose files are damaged.
    package var layerProblems: [SettingsError] { layers.compactMap(\.problem) }

    /// Whether a layer has secrets.
    var hasSecrets: Bool { layers.contains(where: \.isSecret) }

    /// Returns the description of a layer's store.
    package func description(ofLayer layer: String?) -> String {
        layers.first { $0.name == layer }?.store?.storeDescription ?? storeDescription
    }
}

/// A store that publishes the changes of a name only if it knows that the name is used: its system announces the changes of other
/// processes only to observers of a name.
package protocol NameFollowingStore: SettingsStore {
    /// Begins to publish the changes of a name, also if it has no value. Called often with the same names.
    func follow(_ name: String)
}

/// Takes the place of the writable layer in a ``LayeredStore`` without one: it has no values, and refuses every change.
final class UnwritableStore: SettingsStore {
    let feed: SettingsStoreFeed? = SettingsStoreFeed()
    let storeDescription = "LayeredStore without a writable layer"

    private var readOnly: SettingsError { SettingsError(.readOnly, store: storeDescription) }

    func get(_ key: SettingsService.StorageKey) -> Data? { nil }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws { throw readOnly }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        guard batch.expectations.hold(for: { _ in nil }) else { return false }
        if batch.writes.isEmpty { return true }
        throw readOnly
    }

    func keys() -> [String] { [] }

    func removeAll() throws { throw readOnly }
}
