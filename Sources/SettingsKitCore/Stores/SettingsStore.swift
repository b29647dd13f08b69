#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores settings, as bytes under names.
///
/// ## If you use settings
/// You only pass stores to a ``SettingsService``; read and write through the service.
///
/// ## If you write a store
/// Two functions are enough:
///
/// ```swift
/// final class VaultStore: SettingsStore {
///     func get(_ key: SettingsService.StorageKey) throws -> Data? { try vault.item(named: key.name) }
///     func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try vault.put(data, named: key.name) }
/// }
/// ```
///
/// Each access reads such a store, so that no value is stale. Writes made through this process's services follow each other
/// and reach the listeners (``serialized``). Everything else has a default implementation; write your own for one of these
/// reasons:
///
/// - ``apply(_:)``: your medium can write several keys at once, or you have a ``feed`` (then you must).
/// - ``keys()``: your medium can list its keys; `removeAll()` and `keys(in:)` then work.
/// - ``synchronize()``: a write may return before it is safe; ``bringUpToDate()``: and before other programs can read it.
/// - ``feed``: values change elsewhere, or reads are slow. With an exhaustive feed the service caches decoded values and
///   reads them at RAM speed.
///
/// ### What must hold
/// 1. `get` returns exactly the bytes that the last successful `set` of that key was given; nil where there was none or
///    it was removed. No bytes at all are bytes as well: empty `Data` is not nil.
/// 2. A function that throws has changed nothing.
/// 3. Names are equal as Swift strings are (canonical equivalence); case matters. Any name works that is not empty and
///    has no NUL. `key.scope` says in which scope the store is used; one store keeps one flat space of names.
/// 4. All functions may be called from any thread at any time.
/// 5. Errors thrown are shown to people: they must not contain values. Throw ``SettingsError`` where one of its codes
///    fits.
///
/// `SettingsTestKit` has a suite that checks these; it must pass.
public protocol SettingsStore: Sendable {
    /// The bytes stored under a key; nil where nothing is stored.
    ///
    /// - Throws: if the store could not find out. "Unreadable" must never look like "nothing".
    func get(_ key: SettingsService.StorageKey) throws -> Data?

    /// Stores bytes under a key, or removes it when `data` is nil. Removing what is not there is no error.
    ///
    /// A store with a ``feed`` publishes the change, and publishes nothing when the bytes are those already stored.
    ///
    /// - Throws: if the bytes were not stored; the old ones must then still be there.
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws

    /// Carries out all writes of a batch, or none.
    ///
    /// The default implementation checks the expectations, sets one key after the other, and sets them back if one
    /// fails; it is as atomic as two functions can be, and is called with the service holding back its other writes. A
    /// store with a ``feed`` implements it itself: checks the expectations and writes under its own lock, and publishes
    /// the changes of a batch in one call.
    ///
    /// A batch without writes asks whether its expectations hold; see ``SettingsStoreBatch/isQuestion``.
    ///
    /// - Returns: false, with nothing written, if one of the batch's expectations did not hold.
    /// - Throws: if the batch could not be stored; nothing of it then is.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool

    /// The names under which something is stored, in any order.
    ///
    /// The default implementation throws ``SettingsError/Code/unsupported``.
    func keys() throws -> [String]

    /// Removes everything the store holds.
    ///
    /// The default implementation removes each of ``keys()`` in one batch.
    func removeAll() throws

    /// Returns when every change made before the call survives a power failure.
    ///
    /// The default implementation does nothing, which is right for a store whose writes are safe when they return.
    func synchronize() throws

    /// Returns when every change made before the call survives a power failure, and other programs read it where they look: in the
    /// file, for a store that keeps its changes elsewhere first.
    ///
    /// The default implementation is ``synchronize()``, which is right for a store that has one place for its values.
    func bringUpToDate() throws

    /// The feed on which the store publishes every change; nil, the default, if it publishes none.
    ///
    /// Must be the same object each time.
    var feed: SettingsStoreFeed? { get }

    /// Whether a batch is stored whole or not at all even if the process ends in the middle of it.
    ///
    /// A migration across several stores takes more steps where this is false. The default is true for a store with a
    /// ``feed``, which has to implement ``apply(_:)`` itself.
    var hasAtomicBatches: Bool { get }

    /// Whether the store agrees with other machines on each change, so that what ``get(_:)`` returns may be older than what they
    /// have agreed on.
    ///
    /// A service then confirms what a transaction has read, also if the transaction writes nothing: it applies a batch without
    /// writes whose caller waits (``SettingsStoreBatch/Options/waitsForAgreement``). Find out whether the expectations hold in what was
    /// agreed on at one moment during the call, and throw if that is not possible. The default is false.
    var agreesWithOthers: Bool { get }

    /// What messages call the store, its type and its file for example. The default is the name of its type.
    var storeDescription: String { get }

    /// The store itself if it conforms to ``LayeredSettingsStore``, and nil if not. Do not implement it.
    var _layered: (any LayeredSettingsStore)? { get }
}

extension SettingsStore {
    /// Checks the expectations, then sets key after key; restores what it has changed if one fails.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        for expectation in batch.expectations where try get(expectation.key) != expectation.data {
            return false
        }
        var undo: [SettingsStoreBatch.Entry] = []
        do {
            for write in batch.writes {
                let old = try get(write.key)
                if old == write.data { continue }
                try set(write.key, to: write.data)
                undo.append(.init(key: write.key, data: old))
            }
        } catch {
            for write in undo.reversed() {
                do {
                    try set(write.key, to: write.data)
                } catch let undoError {
                    feed?.report(
                        .wrap(undoError, as: .writeFailed, key: write.key, store: storeDescription))
                }
            }
            throw error
        }
        return true
    }

    /// Throws ``SettingsError/Code/unsupported``.
    public func keys() throws -> [String] {
        throw SettingsError(.unsupported, store: storeDescription)
    }

    /// Removes each of ``keys()`` in one batch.
    public func removeAll() throws {
        let writes = try keys().filter(SettingsService.StorageKey.isValid).map { name in
            SettingsStoreBatch.Entry(key: .init(name, scope: .defaults), data: nil)
        }
        _ = try apply(SettingsStoreBatch(writes: writes, options: .init(waitsForAgreement: false)))
    }

    /// Does nothing.
    public func synchronize() throws {}

    /// ``synchronize()``.
    public func bringUpToDate() throws { try synchronize() }

    /// None.
    public var feed: SettingsStoreFeed? { nil }

    /// True if the store has a feed.
    public var hasAtomicBatches: Bool { feed != nil }

    /// False.
    public var agreesWithOthers: Bool { false }

    /// The name of the store's type.
    public var storeDescription: String { "\(type(of: self))" }

    // A requirement, because a cast to a protocol that fails searches all conformances, which takes as long as reading a file.
    /// Nil.
    public var _layered: (any LayeredSettingsStore)? { nil }
}
