#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the stores of a ``LayeredStore``'s layers into its table: all values of a layer that can be followed, once, and the values
/// of another one at each access.
final class LayerReader: Sendable {
    /// The store of each layer; nil for text.
    let stores: [(any SettingsStore)?]
    private let names: [String?]
    private let writable: Int
    private let contents: LayeredContents

    init(_ stores: [(any SettingsStore)?], named names: [String?], writable: Int, into contents: LayeredContents) {
        (self.stores, self.names, self.writable, self.contents) = (stores, names, writable, contents)
    }

    /// Loads every layer, once each has an observer: changes during the loading would be missed otherwise, as changes after earlier
    /// readings may have been.
    func begin() {
        let start = contents.table.withLock { $0.beginReading().since }
        for layer in stores.indices { load(layer, since: start) }
        attend()
    }

    /// Loads the layers that are due, and publishes the changes that have waited for a reading. Called with no lock held.
    ///
    /// - Parameter forced: The layer to load even if the last attempt was a moment ago.
    func attend(forced: Int? = nil) {
        HeldLocks.requireNone(before: "a layer")
        if !contents.feed.isExhaustive {
            let due = contents.table.withLock { $0.beginLoading(at: .now, forced: forced) }
            for layer in due.layers { load(layer, since: due.since) }
            let names = contents.table.withLock { $0.waitingNames }
            // The next access throws an error of the writable layer.
            if !names.isEmpty { _ = readLayers(names.map { .init($0, scope: .defaults) }) }
        }
        contents.feed.flush()
    }

    /// Reads the layers that are not followed under keys.
    ///
    /// - Throws: The error of the writable layer. Errors of other layers are reported, and their last known values are used.
    func read(_ keys: [SettingsService.StorageKey]) throws(SettingsError) {
        attend()
        if contents.feed.isExhaustive { return }
        if let error = readLayers(keys) { throw error }
        contents.feed.flush()
    }

    /// - Returns: The error of the writable layer.
    private func readLayers(_ keys: [SettingsService.StorageKey]) -> SettingsError? {
        let (layers, start) = contents.table.withLock { $0.beginReading() }
        var answers: [(name: String, layer: Int, data: Data?)] = []
        var problems: [(error: SettingsError, layer: Int)] = []
        var failure: SettingsError?
        for key in keys {
            for layer in layers {
                do {
                    answers.append((key.name, layer, try stores[layer]?.get(key)))
                } catch {
                    let problem = problem(error, of: layer)
                    if layer == writable {
                        failure = failure ?? problem.completed(key: key, store: nil)
                    } else {
                        problems.append((problem, layer))
                    }
                }
            }
        }
        contents.table.withLock { table in
            for answer in answers { table.record(answer.data, under: answer.name, of: answer.layer, since: start) }
            contents.publish(table.settle(read: keys.map(\.name)))
        }
        // Recorded last: reading another name does not make up for a failure.
        for problem in problems { report(problem.error, of: problem.layer) }
        return failure
    }

    /// Returns the names that have a value in a layer.
    ///
    /// - Throws: The error of a layer that cannot list its names, or of the writable layer. For another layer that cannot be read
    ///   now, the known names are returned.
    func storedNames() throws -> [String] {
        attend()
        let layers = contents.table.withLock { $0.beginReading().layers }
        var lists: [Int: [String]] = [:]
        for layer in layers {
            do {
                lists[layer] = try stores[layer]?.keys()
            } catch SettingsError.Code.unsupported {
                throw SettingsError(.unsupported, store: stores[layer]?.storeDescription, layer: names[layer])
            } catch {
                let error = problem(error, of: layer)
                if layer == writable { throw error }
                report(error, of: layer)
            }
        }
        let listed = Array(lists.keys)
        let known = contents.table.withLock { $0.storedNames(except: listed) }
        return lists.isEmpty ? known : Array(Set(known).union(lists.values.joined()))
    }

    private func problem(_ error: any Error, of layer: Int) -> SettingsError {
        SettingsError.wrap(error, as: .readFailed, store: stores[layer]?.storeDescription)
            .completed(key: nil, store: nil, layer: names[layer])
    }

    /// - Parameter time: The time at which to load the layer again, if it could not be loaded.
    private func report(_ error: SettingsError, of layer: Int, until time: ContinuousClock.Instant? = nil) {
        let isNew = contents.table.withLock { table in
            if let time { table.endLoading(layer, until: time) }
            return table.recordProblem(error, of: layer)
        }
        if isNew { contents.feed.report(error) }
    }

    // MARK: Loading

    private func load(_ layer: Int, since start: Int) {
        guard let store = stores[layer], let feed = store.feed else { return }
        do {
            try requireOpen(store)
            let isExhaustive = feed.isExhaustive
            let values = isExhaustive ? try values(of: store) : nil
            let isDamaged = (store as? any LocatingStore)?.isDamaged == true
            let damage = isDamaged ? problem(SettingsError(.damaged), of: layer) : nil
            contents.table.withLock { table in
                guard let values else {
                    return table.endLoading(layer, until: !isExhaustive && feed.isExhaustive ? .now : nil)
                }
                table.follow(layer, with: values, since: start, damage: damage)
                contents.publish(table.settle())
                if table.isFollowingAll { contents.feed.becomeExhaustive() }
            }
        } catch {
            report(problem(error, of: layer), of: layer, until: .now + CoreTimings.layerPause)
        }
    }

    /// Tries to open a store that may not be open yet.
    ///
    /// - Throws: The reason if it cannot be opened: its answers are provisional.
    private func requireOpen(_ store: any SettingsStore) throws(SettingsError) {
        // Compared first, because a failing cast takes as long as reading a small file.
        guard type(of: store) == RecoveringStore.self, let store = store as? RecoveringStore else { return }
        try store.requireOpen()
    }

    /// Returns all values of a store; nil if it cannot list its names.
    private func values(of store: any SettingsStore) throws -> [String: Data]? {
        var values: [String: Data] = [:]
        do {
            for name in try store.keys() where SettingsService.StorageKey.isValid(name) {
                values[name] = try store.get(.init(name, scope: .defaults))
            }
        } catch SettingsError.Code.unsupported {
            return nil
        }
        return values
    }

    /// Records which damaged files are now intact.
    ///
    /// - Returns: Whether there are any.
    func recordRepairs() -> Bool {
        let repaired = contents.table.withLock { $0.damagedLayers }.filter { layer in
            (stores[layer] as? any LocatingStore)?.isDamaged != true
        }
        contents.table.withLock { table in for layer in repaired { table.record(nil, of: layer) } }
        return !repaired.isEmpty
    }
}
