import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One layer of a store, or the whole store, as a connection uses it.
///
/// It listens to the layer for the connection. When the connection uses another store, it ignores what this object tells.
final class Source: Sendable {
    let layer: LayeredStore.Layer
    /// The position among the sources. Those above the writable one lock.
    let index: Int
    let isLocking: Bool
    /// The store, if it publishes changes only of names that it knows to be used.
    let nameFollowing: (any NameFollowingStore)?
    let feed: SettingsStoreFeed?
    /// Holds this object, until it uses another store or ends.
    private let connection: Connection
    /// The text, as the connection knows it, and why it cannot be read now.
    private let text: Mutex<(text: (any LayerText)?, problem: SettingsError?)>
    private let follower = Mutex<(any Sendable)?>(nil, .leaf)
    /// The entries of the text without a meaning that the program was told of.
    private let findings = Mutex(KnownFindings(), .leaf)

    init(
        _ layer: LayeredStore.Layer, at index: Int, isLocking: Bool, isLayered: Bool, for connection: Connection
    ) {
        (self.layer, self.index, self.isLocking, self.connection) = (layer, index, isLocking, connection)
        feed = layer.store?.feed
        // Compared first, because a failing cast takes as long as reading a small file.
        nameFollowing = isLayered ? layer.store as? any NameFollowingStore : nil
        text = Mutex((layer.text, nil), .leaf)
        // The first reading comes before this function returns.
        let follower = layer.followed?.follow { [weak self] in self?.receive($0) }
        self.follower.withLock { $0 = follower }
    }

    var store: (any SettingsStore)? { layer.store }

    /// Whether every change is published before a reader could see the old value again, so that what is known stays known.
    var isExhaustive: Bool { feed?.isExhaustive ?? true }

    private func receive(_ reading: LayerTextReading) {
        switch reading {
        case .text(let text):
            if let problem = self.text.withLock({ $0.problem }) {
                connection.diagnostics.report(
                    SettingsError(.readableFile, store: problem.store, layer: layer.name))
            }
            connection.textDidChange(of: self) { self.text.withLock { $0 = (text, nil) } }
            for finding in findings.withLock({ $0.new(in: text) }) {
                connection.diagnostics.report(SettingsError(.unknownName, layer: layer.name, underlying: finding))
            }
        case .failed(let error):
            let error = error.completed(key: nil, store: nil, layer: layer.name)
            text.withLock { $0.problem = error }
            connection.report(error, of: self)
        }
    }

    /// Reads what the source holds under a name. No lock is held.
    func read(_ key: SettingsService.StorageKey) -> Held.Content {
        layer.read(key, in: text.withLock { $0.text }, isLocking: isLocking)
    }

    /// Returns what a text holds for a name.
    func read(_ name: SpelledName) -> Held.Content {
        layer.read(name, in: text.withLock { $0.text }, isLocking: isLocking)
    }

    /// Returns the entries of the text that do not have the meaning that their author expects.
    ///
    /// - Parameter names: The names of all settings.
    func findings(for names: [String]) -> [LayerTextFinding] {
        guard let text = text.withLock({ $0.text }) else { return [] }
        let found = text.findings(for: names)
        findings.withLock { $0.record(found, for: names) }
        return found
    }

    func candidate(_ content: Held.Content) -> SettingsStoreCandidate? {
        layer.candidate(content, isLocking: isLocking)
    }

    /// Why values of a layer may be missing, so that it locks what it might have: a text that was never read, or a damaged file.
    var lockingProblem: SettingsError? {
        guard let store else { return text.withLock { $0.text == nil ? $0.problem : nil } }
        if type(of: store) == RecoveringStore.self { return (store as? RecoveringStore)?.unavailability }
        guard (store as? any LocatingStore)?.isDamaged == true else { return nil }
        return SettingsError(.damaged, store: store.storeDescription, layer: layer.name)
    }
}

extension Source: StoreFeedListener {
    var receivesErrors: Bool { true }

    func storeDidChange(
        _ changes: [SettingsStoreChange], origin: SettingsService.Origin, on feed: SettingsStoreFeed
    ) -> Bool {
        connection.storeDidChange(changes, origin: origin, of: self)
    }

    func storeDidReleaseLock() { connection.deliver() }

    func storeDidReport(_ error: SettingsError) {
        connection.diagnostics.report(error.completed(key: nil, store: nil, layer: layer.name))
    }
}

/// A store as a connection uses it: the list of its layers, of which one is written to. Errors name the store.
final class Sources: Sendable {
    let store: any SettingsStore
    let all: [Source]
    /// The position of the source that is written to.
    let writable: Int
    /// The store that is written to, with a feed.
    let writableStore: any SettingsStore
    /// The feed of the store that is written to.
    let feed: SettingsStoreFeed
    /// The store that is written to, if it may not be open yet.
    let recovering: RecoveringStore?
    /// The store, if it serializes another.
    private let serializing: SerializingStore?

    init(_ store: any SettingsStore, for connection: Connection) {
        // Compared first, because a failing cast takes as long as reading a small file.
        let layered = type(of: store) == LayeredStore.self ? store as? LayeredStore : nil
        let (layers, writable) = (layered?.layers ?? [.writable(store.serialized)], layered?.position ?? 0)
        (self.store, self.writable) = (store, writable)
        all = layers.enumerated().map { index, layer in
            Source(layer, at: index, isLocking: index < writable, isLayered: layered != nil, for: connection)
        }
        guard let writableStore = all[writable].store, let feed = all[writable].feed else {
            preconditionFailure("The writable layer is a store with a feed.")
        }
        (self.writableStore, self.feed) = (writableStore, feed)
        recovering = type(of: writableStore) == RecoveringStore.self ? writableStore as? RecoveringStore : nil
        serializing = type(of: writableStore) == SerializingStore.self ? writableStore as? SerializingStore : nil
    }

    var description: String { writableStore.storeDescription }

    /// Whether a setting's type decides which of several values is in force.
    var isLayered: Bool { all.count > 1 }

    /// Returns whether both write to the same store.
    func isSame(as other: Sources?) -> Bool { feed === other?.feed }

    /// Returns whether both are one store with the same layers.
    func isEqual(to other: Sources?) -> Bool {
        guard let other else { return false }
        return isLayered ? (store as AnyObject) === (other.store as AnyObject) : !other.isLayered && isSame(as: other)
    }

    /// Whether every source publishes all of its changes, so that values may be cached.
    var isExhaustive: Bool { all.allSatisfy(\.isExhaustive) }

    /// A row of which nothing is known.
    var unknown: Row { Row(repeating: nil, count: all.count) }

    /// Whether the store that is written to is open. The answers of one that is not are provisional.
    var isOpen: Bool { recovering?.unavailability == nil }

    /// Tries to open the store that is written to if it is not open.
    ///
    /// - Throws: The reason if it cannot be opened.
    func requireOpen() throws(SettingsError) { try recovering?.requireOpen() }

    /// Has the sources publish changes of names that listeners use.
    func follow(_ names: some Sequence<String>) {
        for source in all {
            guard let store = source.nameFollowing else { continue }
            HeldLocks.requireNone(before: "a store")
            for name in names { store.follow(name) }
        }
    }

    // MARK: Reading

    /// Reads what is not known of a row.
    func complete(_ row: Row, _ key: SettingsService.StorageKey) -> Row {
        var row = row
        for index in row.indices where row[index] == nil {
            row[index] = Held(content: all[index].read(key))
        }
        return row
    }

    /// Reads what all sources hold under a name.
    ///
    /// - Throws: The error of the store that is written to.
    func read(_ key: SettingsService.StorageKey) throws(SettingsError) -> Row {
        let row = complete(unknown, key)
        if let problem = row[writable]?.content.problem { throw problem.completed(key: key, store: nil) }
        return row
    }

    /// Returns the values of a row, the highest first.
    func candidates(_ row: Row) -> [(source: Int, candidate: SettingsStoreCandidate)] {
        row.enumerated().compactMap { index, element in
            element.flatMap { all[index].candidate($0.content) }.map { (index, $0) }
        }
    }

    /// Adds the name of the store to an error about one of its values.
    func locating(_ error: SettingsError, in source: Int? = nil) -> SettingsError {
        let store = source.map { all[$0].store } ?? all.first { $0.layer.name == error.layer }?.store
        return error.completed(key: nil, store: store?.storeDescription ?? description)
    }

    func keys() throws(SettingsError) -> [String] {
        HeldLocks.requireNone(before: "a store")
        do {
            return try store.keys().filter(SettingsService.StorageKey.isValid)
        } catch {
            throw .wrap(error, as: .readFailed, store: description)
        }
    }

    /// Returns the names in the store; none if it cannot list them. Another error is diagnosed.
    func knownNames(_ diagnostics: Diagnostics) -> [String] {
        do throws(SettingsError) {
            return try keys()
        } catch {
            // Without a list of the keys, listeners to a setting by name are still notified.
            if error.code != .unsupported { diagnostics.reportOnce(error) }
            return []
        }
    }

    // MARK: Writing

    /// Returns why a name cannot be written; nil if it can.
    ///
    /// - Parameters:
    ///   - row: What the sources hold.
    ///   - verdict: What is in force of the setting; nil if the setting is not known, so that every value above locks.
    func lock(_ row: Row, _ verdict: Verdict?) -> SettingsService.Lock? {
        if writable == 0 { return nil }
        var source: Int?
        if let verdict {
            source = verdict.origin?.source
        } else {
            source = row.firstIndex { $0?.content.isValue ?? false }
        }
        if let source, source < writable {
            var location: String?
            if case .text(let candidate)? = verdict?.origin?.content ?? row[source]?.content {
                location = candidate.location
            }
            return .init(layer: all[source].layer.name, location: location, in: all[source].store)
        }
        for source in 0..<writable {
            guard let problem = row[source]?.content.problem ?? all[source].lockingProblem else { continue }
            return .init(layer: all[source].layer.name, problem: problem, in: all[source].store)
        }
        return nil
    }

    /// Sets one key. When it returns, listeners have run, unless another thread is running them.
    ///
    /// - Parameter waitsForAgreement: Whether the call waits until the store has agreed on the write with other machines.
    func set(_ key: SettingsService.StorageKey, to data: Data?, waitsForAgreement: Bool) throws(SettingsError) {
        // In case the store itself did not, on some path.
        defer { feed.flush() }
        HeldLocks.requireNone(before: "a store")
        do {
            // The `apply` of a store without a feed need not be better than its `set`.
            if !waitsForAgreement || serializing != nil { return try writableStore.set(key, to: data) }
            if try writableStore.apply(SettingsStoreBatch(writes: [.init(key: key, data: data)])) { return }
            throw SettingsError(.conflict)
        } catch {
            throw .wrap(error, as: .writeFailed, key: key, store: description)
        }
    }

    /// Applies a batch. When it returns, listeners have run, unless another thread is running them.
    ///
    /// - Returns: False, with nothing written, if an expectation did not hold.
    func apply(_ batch: SettingsStoreBatch) throws(SettingsError) -> Bool {
        defer { feed.flush() }
        HeldLocks.requireNone(before: "a store")
        do {
            return try writableStore.apply(batch)
        } catch {
            throw .wrap(error, as: .writeFailed, store: description)
        }
    }

    /// Returns whether the machines with which the store agrees confirm a read value; true for a store that agrees with none.
    func confirms(_ key: SettingsService.StorageKey, _ data: Data?) throws(SettingsError) -> Bool {
        if !feed.agreesWithOthers { return true }
        return try apply(SettingsStoreBatch(writes: [], expectations: [.init(key: key, data: data)], options: .ofSave))
    }

    /// Returns whether all expectations of a question hold at one moment.
    ///
    /// A store that only accepts batches with writes may throw. The values are then read again. If none has changed, all were
    /// stored together when the first of these readings began, unless one has changed and changed back meanwhile.
    func holds(_ question: SettingsStoreBatch) throws(SettingsError) -> Bool {
        do throws(SettingsError) {
            return try apply(question)
        } catch {
            // The answer is found below.
        }
        for expectation in question.expectations
        where try read(expectation.key)[writable]?.content.data != expectation.data { return false }
        return true
    }

    /// Returns those of some names that have a value in the store that is written to.
    ///
    /// - Parameter verdict: Returns what is in force of the setting of a name, if that is known.
    /// - Throws: `locked` if a layer above locks one.
    func removable(
        _ names: some Sequence<String>, in scope: SettingsService.Scope,
        _ verdict: (String) -> Verdict? = { _ in nil }
    ) throws(SettingsError) -> [String] {
        guard isLayered else { return Array(names) }
        var removable: [String] = []
        for name in names {
            let key = SettingsService.StorageKey(name, scope: scope)
            let row = try read(key)
            guard row[writable]?.content.isValue ?? false else { continue }
            if let lock = lock(row, verdict(name)) { throw lock.error(of: key) }
            removable.append(name)
        }
        return removable
    }

    /// - Parameter scope: The scope under which a store without a feed is read.
    func removeAll(in scope: SettingsService.Scope) throws(SettingsError) {
        defer { feed.flush() }
        HeldLocks.requireNone(before: "a store")
        do {
            if let serializing { try serializing.removeAll(in: scope) } else { try writableStore.removeAll() }
        } catch {
            throw .wrap(error, as: .writeFailed, store: description)
        }
    }

    /// - Parameter forOthers: Whether other programs must be able to read the changes.
    func synchronize(forOthers: Bool = false) throws(SettingsError) {
        HeldLocks.requireNone(before: "a store")
        do {
            if forOthers { try writableStore.bringUpToDate() } else { try writableStore.synchronize() }
        } catch {
            throw .wrap(error, as: .writeFailed, store: description)
        }
    }
}
