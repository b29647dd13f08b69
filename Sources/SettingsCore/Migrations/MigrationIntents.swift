#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a migration across several stores is about to do, noted so that it is completed if the process dies in between.
///
/// One store's batch is atomic by itself. For several: the intent is stored beside the ledger, then the other stores are
/// written, then the ledger's own store in one batch with the removal of the intent. Whoever finds an intent completes it:
/// each write is made where the value from before is still there, and left out where it was made already or somebody has
/// set another value since; so any number of processes may complete one intent.
struct MigrationIntents {
    private struct Write: Codable {
        var scope: StoredScope
        var name: String
        var before: Data?
        var after: Data?

        var key: SettingsService.StorageKey { .init(name, scope: scope.scope) }
    }

    private struct Intent: Codable {
        var writes: [Write]
    }

    let service: SettingsService
    let ledger: SettingsService.StorageKey

    private var key: SettingsService.StorageKey { .init(ledger.name + ":under-way", scope: ledger.scope) }
    private var channel: Channel { service.channel(for: ledger) }

    /// Whether a key is in the store of the ledger.
    private func isBesideLedger(_ key: SettingsService.StorageKey) -> Bool { service.channel(for: key) === channel }

    /// Completes what another process, or this program before it died, has begun.
    func completeInterrupted() throws(SettingsError) {
        // Without a store for the ledger, there is no intent; the steps say so if they need it.
        guard let hub = channel.hub else { return }
        guard let data = try channel.read(key, from: hub) else { return }
        let intent: Intent
        do {
            intent = try JSONTransformer<Intent>().untransformValue(data)
        } catch {
            throw SettingsError(.decodingFailed, key: key, underlying: error)
        }
        try complete(intent, notedAs: data)
    }

    /// Carries out writes in several stores.
    ///
    /// - Returns: false, with nothing changed, if an expectation does not hold.
    func carryOut(
        _ writes: [SettingsStoreBatch.Entry], expecting expectations: [SettingsStoreBatch.Entry]
    ) throws(SettingsError) -> Bool {
        let hub = try channel.requireHub(for: ledger)
        var intent = Intent(writes: [])
        for write in writes {
            let store = service.channel(for: write.key)
            let before = try store.read(write.key, from: store.requireHub(for: write.key))
            intent.writes.append(
                Write(scope: .init(write.key.scope), name: write.key.name, before: before, after: write.data))
        }
        for expectation in expectations where !isBesideLedger(expectation.key) {
            let store = service.channel(for: expectation.key)
            if try store.read(expectation.key, from: store.requireHub(for: expectation.key)) != expectation.data {
                return false
            }
        }
        let data: Data
        do {
            data = try JSONTransformer<Intent>().transformValue(intent)
        } catch {
            throw SettingsError(.encodingFailed, key: key, underlying: error)
        }
        let own = expectations.filter { isBesideLedger($0.key) }
        guard
            try apply(
                SettingsStoreBatch(
                    writes: [.init(key: key, data: data)], expectations: own + [.init(key: key, data: nil)]), in: hub)
        else { return false }
        var hasChangedOthers = false
        do throws(SettingsError) {
            try synchronize(hub)
            try completeOthers(intent, hasChanged: &hasChangedOthers)
        } catch {
            // As it was before; unless something is done already, which the next call goes on with.
            if !hasChangedOthers { withdraw(data, in: hub) }
            throw error
        }
        try completeOwn(intent, notedAs: data)
        return true
    }

    private func withdraw(_ data: Data, in hub: StoreHub) {
        let batch = SettingsStoreBatch(
            writes: [.init(key: key, data: nil)], expectations: [.init(key: key, data: data)])
        do throws(SettingsError) {
            _ = try apply(batch, in: hub)
        } catch {
            service.registry.diagnostics.report(error)
        }
    }

    private func complete(_ intent: Intent, notedAs data: Data) throws(SettingsError) {
        var hasChanged = false
        try completeOthers(intent, hasChanged: &hasChanged)
        try completeOwn(intent, notedAs: data)
    }

    /// The writes in the other stores, each of them safe from a power failure before the intent goes.
    private func completeOthers(_ intent: Intent, hasChanged: inout Bool) throws(SettingsError) {
        let others = Dictionary(grouping: intent.writes.filter { !isBesideLedger($0.key) }) { write in
            ObjectIdentifier(service.channel(for: write.key))
        }
        for writes in others.values {
            guard let first = writes.first else { continue }
            let hub = try service.channel(for: first.key).requireHub(for: first.key)
            while try !apply(pending(of: writes, in: hub), in: hub) {}
            hasChanged = true
            try synchronize(hub)
        }
    }

    /// The writes in the ledger's own store, and the end of the intent.
    private func completeOwn(_ intent: Intent, notedAs data: Data) throws(SettingsError) {
        let hub = try channel.requireHub(for: ledger)
        while try channel.read(key, from: hub) == data {
            var batch = try pending(of: intent.writes.filter { isBesideLedger($0.key) }, in: hub)
            batch.writes.append(.init(key: key, data: nil))
            batch.expectations.append(.init(key: key, data: data))
            if try apply(batch, in: hub) { return }
        }
    }

    /// What of some writes is still to be made.
    private func pending(of writes: [Write], in hub: StoreHub) throws(SettingsError) -> SettingsStoreBatch {
        var batch = SettingsStoreBatch(writes: [])
        for write in writes {
            guard try channel.read(write.key, from: hub) == write.before else { continue }
            batch.expectations.append(.init(key: write.key, data: write.before))
            batch.writes.append(.init(key: write.key, data: write.after))
        }
        return batch
    }

    private func apply(_ batch: SettingsStoreBatch, in hub: StoreHub) throws(SettingsError) -> Bool {
        do {
            return try hub.apply(batch)
        } catch {
            throw .wrap(error, as: .writeFailed, store: hub.store.storeDescription)
        }
    }

    private func synchronize(_ hub: StoreHub) throws(SettingsError) {
        do {
            try hub.store.synchronize()
        } catch {
            throw .wrap(error, as: .writeFailed, store: hub.store.storeDescription)
        }
    }
}

/// A scope as it is noted in an intent.
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
