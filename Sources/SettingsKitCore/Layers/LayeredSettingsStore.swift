/// A store that is made of layers, such as ``LayeredStore``.
///
/// Conform to it if your store has several values for a key of which only a setting's type can say which one counts: a setting
/// takes the first candidate that its type and validation accept. What is said of ``SettingsStore`` holds as well, and:
///
/// - ``SettingsStore/get(_:)`` returns the bytes of the first candidate whose form is ``SettingsStoreCandidate/Form/stored``.
/// - The feed publishes changes with the candidates before and after.
/// - An expectation with ``SettingsStoreBatch/Entry/candidates`` is compared with all of them.
/// - A batch that writes a key with a locking candidate throws ``SettingsError/Code/locked``, and writes nothing, unless the
///   candidate is one of ``SettingsStoreBatch/Options/disregardedLocks``.
public protocol LayeredSettingsStore: SettingsStore {
    /// What each layer of the store holds under a key, the highest layer first; without the layers that hold nothing.
    func candidates(for key: SettingsService.StorageKey) throws -> [SettingsStoreCandidate]

    /// The names of the store's layers, the highest first, where nil stands for the layer that is written to.
    var layerNames: [String?] { get }
}

extension LayeredSettingsStore {
    /// The store itself.
    public var _layered: (any LayeredSettingsStore)? { self }
}
