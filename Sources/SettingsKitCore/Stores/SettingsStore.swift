#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores settings, as bytes under names.
///
/// ## If you use settings
/// Only pass stores to a ``SettingsService``; read and write through the service.
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
/// Each access reads such a store, so no value is stale. Writes made through this process's services follow each other and reach
/// the listeners (``serialized``). Everything else has a default implementation; write your own for one of these reasons:
///
/// - ``apply(_:)``: your medium can write several keys at once, or you have a ``feed`` (then you must).
/// - ``keys()``: your medium can list its keys; `removeAll()` and `keys(in:)` then work.
/// - ``synchronize()``: a write may return before it is safe; ``bringUpToDate()``: and before other programs can read it.
/// - ``feed``: values change elsewhere, or reads are slow. With an exhaustive feed the service caches decoded values and reads them
///   at RAM speed.
///
/// ### Requirements
/// 1. `get` returns exactly the bytes of the last successful `set` of that key; nil if there was none or the key was removed. Empty
///    `Data` is not nil: no bytes are a value, too.
/// 2. A function that throws has changed nothing.
/// 3. Names are equal if they are equal as Swift strings (canonical equivalence); case matters. Any name is valid that is not empty
///    and has no NUL. `key.scope` is the scope in which the store is used; one store keeps one flat space of names.
/// 4. All functions may be called from any thread at any time.
/// 5. Thrown errors are shown to people: they must not contain values. Throw ``SettingsError`` if one of its codes fits.
///
/// `SettingsTestKit` has a suite that checks these requirements; it must pass.
public protocol SettingsStore: Sendable {
    /// Returns the bytes stored under a key; nil if there are none.
    ///
    /// - Throws: if the store could not read them. "Unreadable" must never look like "nothing".
    func get(_ key: SettingsService.StorageKey) throws -> Data?

    /// Stores bytes under a key, or removes the key if `data` is nil. Removing a missing key is no error.
    ///
    /// A store with a ``feed`` publishes the change, and publishes nothing if the bytes are already stored.
    ///
    /// - Throws: if the bytes were not stored; the old ones must then still be stored.
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws

    /// Applies all writes of a batch, or none.
    ///
    /// The default implementation checks the expectations, sets one key after the other, and restores them if one fails. It is as
    /// atomic as two functions can be, and the service makes no other writes during the call. A store with a ``feed`` must
    /// implement this function: it checks the expectations and writes inside its lock, and publishes the changes of a batch in one
    /// call.
    ///
    /// A batch without writes asks whether its expectations hold. A service asks at the end of a transaction that only reads, so that
    /// the values are of one moment. Compare the expectations with the values of ``get(_:)``, all at once, inside the lock that
    /// orders your changes. Answer even if the store cannot write.
    ///
    /// - Returns: false, with nothing written, if one of the batch's expectations did not hold.
    /// - Throws: if the batch could not be stored; nothing is changed then.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool

    /// Returns the names that have a value, in any order.
    ///
    /// The default implementation throws ``SettingsError/Code/unsupported``.
    func keys() throws -> [String]

    /// Removes all values of the store.
    ///
    /// The default implementation removes each of ``keys()`` in one batch.
    func removeAll() throws

    /// Waits until every change made before the call survives a power failure.
    ///
    /// The default implementation does nothing, which is right for a store whose writes are safe when they return.
    func synchronize() throws

    /// Waits until every change made before the call survives a power failure and other programs can read it: in the file, for a
    /// store that first keeps its changes elsewhere.
    ///
    /// The default implementation calls ``synchronize()``, which is right for a store that has one place for its values.
    func bringUpToDate() throws

    /// The feed on which the store publishes every change; nil, the default, if it publishes none.
    ///
    /// Must be the same object each time.
    var feed: SettingsStoreFeed? { get }

    /// The name of the store in messages, its type and its file for example. The default is the name of its type.
    var storeDescription: String { get }
}

extension SettingsStore {
    /// Checks the expectations, then sets key after key; restores the changed keys if one fails.
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
        _ = try apply(SettingsStoreBatch(writes: writes, options: .ofSet))
    }

    /// Does nothing.
    public func synchronize() throws {}

    /// Calls ``synchronize()``.
    public func bringUpToDate() throws { try synchronize() }

    /// Returns nil.
    public var feed: SettingsStoreFeed? { nil }

    /// The name of the store's type.
    public var storeDescription: String { "\(type(of: self))" }
}

/// The access of a store to its files.
public enum SettingsStoreAccess: Sendable {
    /// Reads, and writes when a setting is set.
    case readWrite
    /// Reads, and never writes, locks or creates anything. Setting throws ``SettingsError/Code/readOnly``. Each store's initializer
    /// describes the effect on its files.
    case readOnly
}

/// A store that can locate a value: its file and its line.
package protocol LocatingStore: SettingsStore {
    /// Returns the line of the key in the store's file; nil if the file does not hold these bytes there, or has no lines.
    ///
    /// Called once for each diagnosis, with no lock held. May read the file.
    func line(of name: String, holding data: Data) -> Int?

    /// Whether the store's file is damaged, so that values may be missing. By default, false.
    var isDamaged: Bool { get }
}

extension LocatingStore {
    package var isDamaged: Bool { false }
}
