#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes a migration across several stores complete even if the process dies.
///
/// The batch of one store is atomic, unless the store has only two functions. For several stores, the intent is stored beside the
/// ledger. The other stores are written next. Then the ledger's store is written, in one batch with the removal of the intent. Any
/// process that finds an intent completes it, so several may work on one. A write is made only if the earlier value is still
/// stored, and skipped if another value was set. A mark in each of the other stores, written in one batch with the values, names
/// the last intent, so that a value that was set back later is not changed again.
///
/// ## Why idempotent steps and a list of the finished ones are not enough
/// `rename` and `move` are idempotent: the new value is written first, and a second run finds it. A version is any closure, for
/// example `t[total] += t.get(bonus); t.reset(bonus)`, with `total` and `bonus` in two stores. Assume that the process dies between
/// the two writes. If `total` was written first, a second run adds the bonus again; if `bonus` was removed first, it is lost. A
/// list of finished steps is in one store, so it is written before or after the write in the other one, and has the same gap. So
/// the results are recorded before the first write, and written without running the closure again. This is what
/// ``SettingsService/migrate(_:ledger:in:)`` promises: all or nothing, and each version once.
struct MigrationIntents {
    private struct Write: Codable {
        var scope: StoredScope
        var name: String
        var before: Data?
        var after: Data?

        var key: SettingsService.StorageKey { .init(name, scope: scope.scope) }
    }

    private struct Intent: Codable {
        var id = UUID()
        var writes: [Write]
        /// Whether other processes may apply the intent; it cannot be withdrawn then.
        var isAdopted = false

        var mark: Data { Data("\"\(id)\"".utf8) }
    }

    /// A participating store, with its keys and writes.
    private struct Part<Element> {
        let store: ConnectedStore
        var elements: [Element]
    }

    let service: SettingsService
    /// The key of the intent: the ledger's key, but in another scope if the ledger's store is shared with other devices.
    let home: SettingsService.StorageKey

    /// The locks that the written settings reject.
    var disregardedLocks: [SettingsService.StorageKey: [SettingsStoreCandidate]] = [:]

    private var key: SettingsService.StorageKey { .init(home.name + ":under-way", scope: home.scope) }
    private var connection: ScopeConnection { service.connection(for: home) }

    /// Completes an intent of another process, or of an earlier run of this program.
    func completeInterrupted() throws(SettingsError) {
        // Without a store for the ledger there is no intent. The steps report the missing store if they need it.
        guard let store = connection.store else { return }
        guard let data = try store.get(key) else { return }
        var intent = try decode(data)
        // A service over a single store does not know the other stores.
        for write in intent.writes
        where write.key.scope != home.scope && service.connection(for: write.key) === connection {
            throw SettingsError(.noStore, key: write.key)
        }
        if !intent.isAdopted {
            intent.isAdopted = true
            let adopted = SettingsStoreBatch(
                writes: [.init(key: key, data: try encode(intent))], expectations: [.init(key: key, data: data)])
            guard try store.apply(adopted) else { return }
        }
        // A layer that now locks a setting did not when the intent was recorded, or came later. The value below it is completed.
        var intents = self
        for write in intent.writes {
            let store = try service.connection(for: write.key).requireStore(for: write.key)
            intents.disregardedLocks[write.key] = try store.read(write.key).all.filter(\.isLocking)
        }
        try intents.complete(intent, notedIn: store)
    }

    /// Makes writes in any number of stores.
    ///
    /// - Returns: false, with nothing changed, if an expectation does not hold.
    func carryOut(
        _ writes: [SettingsStoreBatch.Entry], expecting expectations: [SettingsStoreBatch.Entry]
    ) throws(SettingsError) -> Bool {
        let parts = try parts(of: writes, key: \.key)
        let isOneBatch = parts.count == 1 && (parts[0].store.store.hasAtomicBatches || connection.store == nil)
        let store = try isOneBatch ? parts[0].store : connection.requireStore(for: home)
        var own: [SettingsStoreBatch.Entry] = []
        for part in try self.parts(of: expectations, key: \.key) {
            if part.store.isSame(as: store) {
                own = part.elements
            } else if try !holds(part.elements, in: part.store) {
                return false
            }
        }
        if store.isSame(as: connection.store) { own.append(.init(key: key, data: nil)) }
        if isOneBatch { return try apply(.init(writes: writes, expectations: own), to: store) }

        var intent = Intent(writes: [])
        for part in parts {
            var before: [SettingsStoreBatch.Entry] = []
            for write in part.elements {
                let data = try part.store.get(write.key)
                before.append(.init(key: write.key, data: data))
                intent.writes.append(
                    Write(scope: .init(write.key.scope), name: write.key.name, before: data, after: write.data))
            }
            if part.store.isSame(as: store) {
                own += before
            } else if try !holds(before, in: part.store) {
                return false
            }
        }
        let data = try encode(intent)
        guard try store.apply(.init(writes: [.init(key: key, data: data)], expectations: own)) else { return false }
        do throws(SettingsError) {
            try complete(intent, notedIn: store)
        } catch {
            if try isOver(intent, notedAs: data, in: store, after: error) { return true }
            throw error
        }
        return true
    }

    /// Restores the earlier state after a failure, unless a part is already written, which the next call completes.
    ///
    /// - Returns: whether another process has completed the intent.
    private func isOver(
        _ intent: Intent, notedAs data: Data, in store: ConnectedStore, after failure: SettingsError
    ) throws(SettingsError) -> Bool {
        do throws(SettingsError) {
            let withdrawal = SettingsStoreBatch(
                writes: [.init(key: key, data: nil)], expectations: [.init(key: key, data: data)])
            if try isUntouched(intent, notedIn: store), try store.apply(withdrawal) { return false }
            return try noted(intent, in: store) == nil
        } catch {
            // The state is unknown; the next call continues.
            service.connections.diagnostics.report(error)
            throw failure
        }
    }

    /// Returns whether no store is changed yet.
    private func isUntouched(_ intent: Intent, notedIn store: ConnectedStore) throws(SettingsError) -> Bool {
        for part in try parts(of: intent.writes, key: \.key) {
            for write in part.elements where try part.store.get(write.key) != write.before {
                return false
            }
            if !part.store.isSame(as: store), try part.store.get(mark(in: part)) == intent.mark {
                return false
            }
        }
        return true
    }

    private func complete(_ intent: Intent, notedIn store: ConnectedStore) throws(SettingsError) {
        // The intent must survive a power failure before the first of its writes is made, whichever process has recorded it.
        try store.synchronize()
        for part in try others(of: intent, than: store) {
            try retrying { () throws(SettingsError) in try completeOther(part, of: intent, notedIn: store) }
            try part.store.synchronize()
        }
        try retrying { () throws(SettingsError) in try completeOwn(intent, in: store) }
    }

    /// Makes the writes in a store other than the ledger's.
    ///
    /// - Returns: false if another process has completed the intent.
    private func completeOther(
        _ part: Part<Write>, of intent: Intent, notedIn store: ConnectedStore
    ) throws(SettingsError) -> Bool {
        let mark = mark(in: part)
        let present = try part.store.get(mark)
        if present == intent.mark { return true }
        // If the intent is still recorded now, it was not complete when the mark was read.
        if try noted(intent, in: store) == nil { return true }
        var batch = try pending(of: part.elements, in: part.store)
        batch.expectations.append(.init(key: mark, data: present))
        batch.writes.append(.init(key: mark, data: intent.mark))
        return try apply(batch, to: part.store)
    }

    /// Makes the writes in the ledger's store, and removes the intent.
    ///
    /// - Returns: false if another process has completed the intent.
    private func completeOwn(_ intent: Intent, in store: ConnectedStore) throws(SettingsError) -> Bool {
        guard let data = try noted(intent, in: store) else { return true }
        let own = try parts(of: intent.writes, key: \.key).first { $0.store.isSame(as: store) }
        var batch = try pending(of: own?.elements ?? [], in: store)
        batch.expectations.append(.init(key: key, data: data))
        batch.writes.append(.init(key: key, data: nil))
        return try apply(batch, to: store)
    }

    private func apply(_ batch: SettingsStoreBatch, to store: ConnectedStore) throws(SettingsError) -> Bool {
        var batch = batch
        for write in batch.writes { batch.options.disregardedLocks[write.key.name] = disregardedLocks[write.key] }
        return try store.apply(batch)
    }

    /// Returns the writes that remain to be made.
    private func pending(of writes: [Write], in store: ConnectedStore) throws(SettingsError) -> SettingsStoreBatch {
        var batch = SettingsStoreBatch(writes: [])
        for write in writes {
            let data = try store.get(write.key)
            // Expected for skipped writes, too: the value must really be another one, not one that was read too early.
            batch.expectations.append(.init(key: write.key, data: data))
            if data == write.before { batch.writes.append(.init(key: write.key, data: write.after)) }
        }
        return batch
    }

    private func retrying(_ body: () throws(SettingsError) -> Bool) throws(SettingsError) {
        for _ in 0..<CoreLimits.intentAttempts where try body() { return }
        throw SettingsError(.conflict)
    }

    // MARK: Places

    /// Groups keys by store. One store may serve several scopes.
    private func parts<Element>(
        of elements: [Element], key: (Element) -> SettingsService.StorageKey
    ) throws(SettingsError) -> [Part<Element>] {
        var parts: [Part<Element>] = []
        for element in elements {
            let key = key(element)
            let store = try service.connection(for: key).requireStore(for: key)
            if let index = parts.firstIndex(where: { $0.store.isSame(as: store) }) {
                parts[index].elements.append(element)
            } else {
                parts.append(Part(store: store, elements: [element]))
            }
        }
        return parts
    }

    private func others(of intent: Intent, than store: ConnectedStore) throws(SettingsError) -> [Part<Write>] {
        try parts(of: intent.writes, key: \.key).filter { !$0.store.isSame(as: store) }
    }

    /// Returns the key under which another store records the last intent.
    private func mark(in part: Part<Write>) -> SettingsService.StorageKey {
        .init(home.name + ":carried-out", scope: part.elements[0].key.scope)
    }

    /// Returns the bytes of the recorded intent; nil if there is none any longer.
    private func noted(_ intent: Intent, in store: ConnectedStore) throws(SettingsError) -> Data? {
        for _ in 0..<CoreLimits.intentAttempts {
            guard let data = try store.get(key), try decode(data).id == intent.id else { return nil }
            if try holds([.init(key: key, data: data)], in: store) { return data }
        }
        throw SettingsError(.conflict)
    }

    /// Returns whether keys have the expected bytes now. Reading is not enough: a store may return bytes from memory, and notice
    /// the write of another process later.
    private func holds(
        _ expectations: [SettingsStoreBatch.Entry], in store: ConnectedStore
    ) throws(SettingsError) -> Bool {
        try store.apply(SettingsStoreBatch(writes: [], expectations: expectations))
    }

    private func encode(_ intent: Intent) throws(SettingsError) -> Data {
        do {
            return try JSONTransformer<Intent>().transformValue(intent)
        } catch {
            throw SettingsError(.encodingFailed, key: key, underlying: error)
        }
    }

    private func decode(_ data: Data) throws(SettingsError) -> Intent {
        do {
            return try JSONTransformer<Intent>().untransformValue(data)
        } catch {
            throw SettingsError(.decodingFailed, key: key, underlying: error)
        }
    }
}

/// A scope, as an intent stores it.
private enum StoredScope: Codable {
    case defaults
    case shared
    case custom(String)

    init(_ scope: SettingsService.Scope) {
        switch scope {
        case .defaults: self = .defaults
        case .shared: self = .shared
        case .custom(let id): self = .custom(id)
        }
    }

    var scope: SettingsService.Scope {
        switch self {
        case .defaults: .defaults
        case .shared: .shared
        case .custom(let id): .custom(id: id)
        }
    }
}
