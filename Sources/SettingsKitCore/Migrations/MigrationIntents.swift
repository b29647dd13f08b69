#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a migration across several stores is about to do, noted so that it is completed if the process dies in between.
///
/// One store's batch is atomic by itself, if it is no store of two functions only. For several: the intent is stored beside
/// the ledger, then the other stores are written, then the ledger's own store in one batch with the removal of the intent.
/// Whoever finds an intent completes it, so any number of processes may be at one intent. Each write is made where the value
/// from before is still there, and left out where somebody has set another value since. A mark in each of the other stores,
/// written in one batch with the values, says which intent was the last, so that a value which somebody has set back since is
/// not changed again.
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
        /// Whether others than the one who has noted it carry it out; it cannot be withdrawn then.
        var isAdopted = false

        var mark: Data { Data("\"\(id)\"".utf8) }
    }

    /// A store that takes part, with what concerns it.
    private struct Part<Element> {
        let hub: StoreHub
        var elements: [Element]
    }

    /// How often something is tried again because others have changed the same. Others make progress each time.
    private static let attemptLimit = 1_000

    let service: SettingsService
    /// The key of the ledger; in another scope where that one is carried to other devices.
    let home: SettingsService.StorageKey

    private var key: SettingsService.StorageKey { .init(home.name + ":under-way", scope: home.scope) }
    private var channel: Channel { service.channel(for: home) }

    /// Completes what another process, or this program before it died, has begun.
    func completeInterrupted() throws(SettingsError) {
        // Without a store for the ledger, there is no intent; the steps say so if they need it.
        guard let hub = channel.hub else { return }
        guard let data = try channel.read(key, from: hub) else { return }
        var intent = try decode(data)
        // A service over one store alone does not know the others.
        for write in intent.writes where write.key.scope != home.scope && service.channel(for: write.key) === channel {
            throw SettingsError(.noStore, key: write.key)
        }
        if !intent.isAdopted {
            intent.isAdopted = true
            let adopted = SettingsStoreBatch(
                writes: [.init(key: key, data: try encode(intent))], expectations: [.init(key: key, data: data)])
            guard try hub.apply(adopted) else { return }
        }
        try complete(intent, notedIn: hub)
    }

    /// Carries out writes in any number of stores.
    ///
    /// - Returns: false, with nothing changed, if an expectation does not hold.
    func carryOut(
        _ writes: [SettingsStoreBatch.Entry], expecting expectations: [SettingsStoreBatch.Entry]
    ) throws(SettingsError) -> Bool {
        let parts = try parts(of: writes, key: \.key)
        let isOneBatch = parts.count == 1 && (parts[0].hub.hasAtomicBatches || channel.hub == nil)
        let hub = try isOneBatch ? parts[0].hub : channel.requireHub(for: home)
        var own: [SettingsStoreBatch.Entry] = []
        for part in try self.parts(of: expectations, key: \.key) {
            if part.hub.feed === hub.feed {
                own = part.elements
            } else if try !holds(part.elements, in: part.hub) {
                return false
            }
        }
        if hub.feed === channel.hub?.feed { own.append(.init(key: key, data: nil)) }
        if isOneBatch { return try hub.apply(.init(writes: writes, expectations: own)) }

        var intent = Intent(writes: [])
        for part in parts {
            var before: [SettingsStoreBatch.Entry] = []
            for write in part.elements {
                let data = try channel.read(write.key, from: part.hub)
                before.append(.init(key: write.key, data: data))
                intent.writes.append(
                    Write(scope: .init(write.key.scope), name: write.key.name, before: data, after: write.data))
            }
            if part.hub.feed === hub.feed { own += before } else if try !holds(before, in: part.hub) { return false }
        }
        let data = try encode(intent)
        guard try hub.apply(.init(writes: [.init(key: key, data: data)], expectations: own)) else { return false }
        do throws(SettingsError) {
            try complete(intent, notedIn: hub)
        } catch {
            if try isOver(intent, notedAs: data, in: hub, after: error) { return true }
            throw error
        }
        return true
    }

    /// After a failure, has everything be as it was before; unless something is done already, which is left to the next call.
    ///
    /// - Returns: whether another has completed the intent.
    private func isOver(
        _ intent: Intent, notedAs data: Data, in hub: StoreHub, after failure: SettingsError
    ) throws(SettingsError) -> Bool {
        do throws(SettingsError) {
            let withdrawal = SettingsStoreBatch(
                writes: [.init(key: key, data: nil)], expectations: [.init(key: key, data: data)])
            if try isUntouched(intent, notedIn: hub), try hub.apply(withdrawal) { return false }
            return try noted(intent, in: hub) == nil
        } catch {
            // Nobody can say; the next call goes on with it.
            service.registry.diagnostics.report(error)
            throw failure
        }
    }

    /// Whether nothing is changed yet in any store.
    private func isUntouched(_ intent: Intent, notedIn hub: StoreHub) throws(SettingsError) -> Bool {
        for part in try parts(of: intent.writes, key: \.key) {
            for write in part.elements where try channel.read(write.key, from: part.hub) != write.before {
                return false
            }
            if part.hub.feed !== hub.feed, try channel.read(mark(in: part), from: part.hub) == intent.mark {
                return false
            }
        }
        return true
    }

    private func complete(_ intent: Intent, notedIn hub: StoreHub) throws(SettingsError) {
        // Safe from a power failure before the first of its writes is made, whoever has noted it.
        try synchronize(hub)
        for part in try others(of: intent, than: hub) {
            try retrying { () throws(SettingsError) in try completeOther(part, of: intent, notedIn: hub) }
            try synchronize(part.hub)
        }
        try retrying { () throws(SettingsError) in try completeOwn(intent, in: hub) }
    }

    /// The writes in another store than the ledger's.
    ///
    /// - Returns: false if somebody was faster.
    private func completeOther(
        _ part: Part<Write>, of intent: Intent, notedIn hub: StoreHub
    ) throws(SettingsError) -> Bool {
        let mark = mark(in: part)
        let present = try channel.read(mark, from: part.hub)
        if present == intent.mark { return true }
        // It was not carried out when the mark was read if it is still noted now: what comes after it, comes after its end.
        if try noted(intent, in: hub) == nil { return true }
        var batch = try pending(of: part.elements, in: part.hub)
        batch.expectations.append(.init(key: mark, data: present))
        batch.writes.append(.init(key: mark, data: intent.mark))
        return try part.hub.apply(batch)
    }

    /// The writes in the ledger's own store, and the end of the intent.
    ///
    /// - Returns: false if somebody was faster.
    private func completeOwn(_ intent: Intent, in hub: StoreHub) throws(SettingsError) -> Bool {
        guard let data = try noted(intent, in: hub) else { return true }
        let own = try parts(of: intent.writes, key: \.key).first { $0.hub.feed === hub.feed }
        var batch = try pending(of: own?.elements ?? [], in: hub)
        batch.expectations.append(.init(key: key, data: data))
        batch.writes.append(.init(key: key, data: nil))
        return try hub.apply(batch)
    }

    /// What of some writes is still to be made.
    private func pending(of writes: [Write], in hub: StoreHub) throws(SettingsError) -> SettingsStoreBatch {
        var batch = SettingsStoreBatch(writes: [])
        for write in writes {
            let data = try channel.read(write.key, from: hub)
            // Also of what is left out: it must really be another value, and not one that was read too early.
            batch.expectations.append(.init(key: write.key, data: data))
            if data == write.before { batch.writes.append(.init(key: write.key, data: write.after)) }
        }
        return batch
    }

    private func retrying(_ body: () throws(SettingsError) -> Bool) throws(SettingsError) {
        for _ in 0..<Self.attemptLimit where try body() { return }
        throw SettingsError(.conflict)
    }

    // MARK: Where things are

    /// Which of some keys are in one store; several scopes may have one.
    private func parts<Element>(
        of elements: [Element], key: (Element) -> SettingsService.StorageKey
    ) throws(SettingsError) -> [Part<Element>] {
        var parts: [Part<Element>] = []
        for element in elements {
            let key = key(element)
            let hub = try service.channel(for: key).requireHub(for: key)
            if let index = parts.firstIndex(where: { $0.hub.feed === hub.feed }) {
                parts[index].elements.append(element)
            } else {
                parts.append(Part(hub: hub, elements: [element]))
            }
        }
        return parts
    }

    private func others(of intent: Intent, than hub: StoreHub) throws(SettingsError) -> [Part<Write>] {
        try parts(of: intent.writes, key: \.key).filter { $0.hub.feed !== hub.feed }
    }

    /// Where another store has noted which intent was carried out last.
    private func mark(in part: Part<Write>) -> SettingsService.StorageKey {
        .init(home.name + ":carried-out", scope: part.elements[0].key.scope)
    }

    /// The bytes that an intent is noted as; nil when it is no longer.
    private func noted(_ intent: Intent, in hub: StoreHub) throws(SettingsError) -> Data? {
        for _ in 0..<Self.attemptLimit {
            guard let data = try channel.read(key, from: hub), try decode(data).id == intent.id else { return nil }
            if try holds([.init(key: key, data: data)], in: hub) { return data }
        }
        throw SettingsError(.conflict)
    }

    /// Whether keys have what is expected at this moment. Reading alone does not tell: a store may answer from its memory, and
    /// hear a little later what another process has written.
    private func holds(
        _ expectations: [SettingsStoreBatch.Entry], in hub: StoreHub
    ) throws(SettingsError) -> Bool {
        try hub.apply(SettingsStoreBatch(writes: [], expectations: expectations))
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
