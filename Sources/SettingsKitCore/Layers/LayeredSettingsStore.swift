/// A store with several values for a key, such as ``LayeredStore``: a setting uses the first candidate that its type and validation
/// accept. The requirements of ``SettingsStore`` hold, and these:
///
/// - ``SettingsStore/get(_:)`` returns the bytes of the first candidate whose form is ``SettingsStoreCandidate/Form/stored``.
/// - The feed publishes changes with the candidates before and after.
/// - An expectation with ``SettingsStoreBatch/Entry/candidates`` is compared with all of them.
/// - A batch that writes a key with a locking candidate throws ``SettingsError/Code/locked``, and writes nothing, unless the
///   candidate is one of ``SettingsStoreBatch/Options/disregardedLocks``.
package protocol LayeredSettingsStore: SettingsStore {
    /// Returns the candidates of the store's layers for a key, the highest layer first. Layers without a value have none.
    func candidates(for key: SettingsService.StorageKey) throws -> [SettingsStoreCandidate]

    /// The names of the store's layers, the highest first; nil is the layer that is written to.
    var layerNames: [String?] { get }
}

extension LayeredSettingsStore {
    /// The store itself.
    package var _layered: (any SettingsStore)? { self }
}

extension SettingsStore {
    /// The store with several values for a key, if this is one or wraps one.
    package var layered: (any LayeredSettingsStore)? { _layered.flatMap { $0 as? any LayeredSettingsStore } }
}
