#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values of a ``LayeredStore``'s layers, by name, so that one look-up is enough.
///
/// It follows the feeds of the layers. For a layer that does not publish all of its changes, it has the values that were last read
/// or published.
struct LayeredContents: Sendable {
    /// A change that is published when a layer whose value under the name was unknown has been read.
    private struct Deferred {
        /// The values before, of the layers that have changed.
        var old: [Int: Data?] = [:]
        var origin: SettingsService.Origin
    }

    /// The layers' names; nil for the one that is written to.
    let names: [String?]
    /// The position of the layer that is written to.
    let writable: Int
    private let texts: [(layer: Int, source: LayeredStore.Layer.Source)]
    /// The layers' candidates under a name, the highest first. Without a list, there are only those of text layers.
    private var lists: [String: [SettingsStoreCandidate]] = [:]
    /// The position of the list that was found last: a set looks it up before it writes, and again when its change is published.
    /// Nil after lists were added or removed.
    private var lastFound: (name: String, index: Dictionary<String, [SettingsStoreCandidate]>.Index)?
    private var layers: [LayerStatus]
    private var deferred: [String: Deferred] = [:]
    /// The list that was last published under a name, while a layer is not followed. A layer may be read before its change is
    /// published, and the next change must still start from the values that listeners have.
    private var lastPublished: [String: [SettingsStoreCandidate]] = [:]
    /// Whether every layer is followed.
    private(set) var isFollowingAll = false
    /// Whether a layer that locks has ever had a value. If not, a name need not be looked up before it is written.
    private var mayLock: Bool
    /// Whether every layer has an observer. If the thread of another layer loaded a layer earlier, changes would be missed.
    private var isListening = false
    /// Whether the store can have readers.
    private var isReady = false

    init(_ layers: [LayeredStore.Layer], writable: Int) {
        self.writable = writable
        names = layers.map(\.name)
        texts = layers.indices.filter { layers[$0].hasText }.map { ($0, layers[$0].source) }
        mayLock = texts.contains { $0.layer < writable }
        self.layers = layers.map { $0.isText ? .text : LayerStatus() }
        recordFollowing()
    }

    /// Whether all layers are followed, and no change waits.
    var isSettled: Bool { isFollowingAll && deferred.isEmpty }

    private mutating func recordFollowing() {
        isFollowingAll = layers.allSatisfy(\.isFollowed)
        if isFollowingAll { lastPublished = [:] }
    }

    // MARK: Reading

    /// Returns the layers' candidates under a name, as far as they are known.
    func list(of name: String) -> [SettingsStoreCandidate] { lists[name] ?? textCandidates(for: name) }

    /// Returns the same list, and keeps it, so that the text layers are searched once.
    mutating func keptList(of name: String) -> [SettingsStoreCandidate] {
        if let list = lists[name] { return list }
        let list = textCandidates(for: name)
        if !list.isEmpty {
            lists[name] = list
            lastFound = nil
        }
        return list
    }

    /// Returns the index of the list of a name; nil if there is none.
    private mutating func index(of name: String) -> Dictionary<String, [SettingsStoreCandidate]>.Index? {
        if let lastFound, lastFound.name == name { return lastFound.index }
        guard let index = lists.index(forKey: name) else { return nil }
        lastFound = (name, index)
        return index
    }

    private func textCandidates(for name: String) -> [SettingsStoreCandidate] {
        var list: [SettingsStoreCandidate] = []
        for (layer, source) in texts {
            guard var candidate = source.candidate(for: name) else { continue }
            candidate.layer = names[layer]
            candidate.isLocking = layer < writable
            list.append(candidate)
        }
        return list
    }

    /// Returns the names that have a value in a store, as far as they are known.
    ///
    /// - Parameter layers: The layers to leave out.
    func storedNames(except layers: [Int]) -> [String] {
        lists.lazy.filter { $0.value.contains { $0.form == .stored && !layers.contains(rank(of: $0)) } }.map(\.key)
            .filter(SettingsService.StorageKey.isValid)
    }

    /// Returns the position of the first layer whose value under a name is these bytes.
    func layer(holding data: Data, under name: String) -> Int? {
        list(of: name).first { $0.form == .stored && $0.data == data }.map(rank(of:))
    }

    /// The errors because of which layers cannot be read.
    var failures: [SettingsError] { layers.compactMap { $0.failure ?? $0.damage } }

    /// Records that a layer that is not loaded yet is damaged. Its locks are unknown.
    mutating func recordDamage(_ error: SettingsError, of layer: Int) {
        if layers[layer].wasLoaded { return }
        layers[layer].damage = error
        if layer < writable { mayLock = true }
    }

    /// The layers whose files were damaged.
    var damagedLayers: [Int] { layers.indices.filter { layers[$0].damage != nil } }

    /// Records that a layer's file is intact.
    mutating func recordRepair(of layer: Int) { layers[layer].damage = nil }

    /// Returns the obstacle to writing a name; nil if it can be written.
    ///
    /// - Parameter disregarded: The candidates that lock nothing.
    mutating func obstacle(
        to name: String, disregarding disregarded: [SettingsStoreCandidate]?
    ) -> LayeredStore.Obstacle? {
        if isFollowingAll && !mayLock { return nil }
        // The candidates that lock come first.
        let isLockable = index(of: name).map { lists.values[$0][0].isLocking } ?? true
        if isLockable, let lock = list(of: name).first(where: { $0.isLocking && disregarded?.contains($0) != true }) {
            return .candidate(lock, layer: rank(of: lock))
        }
        for layer in 0..<writable {
            if let damage = layers[layer].damage { return .unreadable(damage, layer: layer) }
        }
        if isFollowingAll { return nil }
        for layer in 0..<writable where !layers[layer].knows(name) {
            if let failure = layers[layer].failure { return .unreadable(failure, layer: layer) }
        }
        return nil
    }

    // MARK: Changing

    /// Applies changes that a layer publishes.
    ///
    /// - Returns: the resulting changes for readers.
    mutating func apply(
        _ changes: [SettingsStoreChange], of layer: Int, origin: SettingsService.Origin
    ) -> [SettingsStoreChange] {
        if !isFollowingAll { record(changes, of: layer) }
        var published: [SettingsStoreChange] = []
        published.reserveCapacity(changes.count)
        for change in changes where change.oldData != change.newData {
            if let change = replaceHighest(by: change, of: layer) {
                published.append(change)
                continue
            }
            let lists = replace(change.oldData, by: change.newData, under: change.name, in: layer)
            if !isSettled, !isReady || isDeferred(change, of: layer, origin: origin) { continue }
            var before = lists.before
            if !isFollowingAll {
                if let last = lastPublished[change.name] { before = last }
                lastPublished[change.name] = lists.after
                if before == lists.after { continue }
            }
            if before != lists.after {
                published.append(SettingsStoreChange(name: change.name, from: before, to: lists.after))
            }
        }
        return published
    }

    /// Applies the usual change: the layer that is written to has a value before and now, and no layer above has one. No list is
    /// created then.
    ///
    /// - Returns: The change for readers; nil if it is not the usual one.
    private mutating func replaceHighest(by change: SettingsStoreChange, of layer: Int) -> SettingsStoreChange? {
        guard layer == writable, isSettled, change.oldData != nil, let new = change.newData,
            let index = index(of: change.name), lists.values[index][0].layer == nil
        else { return nil }
        let old = lists.values[index][0].data
        lists.values[index][0].data = new
        return SettingsStoreChange(name: change.name, from: old, highestOf: lists.values[index])
    }

    private mutating func record(_ changes: [SettingsStoreChange], of layer: Int) {
        layers[layer].revision += 1
        for change in changes { layers[layer].changesWhileLoading?[change.name] = .some(change.newData) }
        if !layers[layer].wasLoaded { layers[layer].readNames.formUnion(changes.map(\.name)) }
    }

    /// Replaces a layer's value, and returns the lists before and after.
    @discardableResult
    private mutating func replace(
        _ old: Data?, by new: Data?, under name: String, in layer: Int
    ) -> (before: [SettingsStoreCandidate], after: [SettingsStoreCandidate]) {
        if layer < writable, new != nil { mayLock = true }
        // Looked up once, because the name of most changes has a list.
        let index = index(of: name)
        var before = index.map { lists.values[$0] } ?? textCandidates(for: name)
        // The last values of a layer that is not followed may be out of date.
        if !layers[layer].isFollowed { put(old, of: layer, in: &before) }
        var after = before
        put(new, of: layer, in: &after)
        if let index, !after.isEmpty {
            lists.values[index] = after
        } else if index != nil || !after.isEmpty {
            lists[name] = after.isEmpty ? nil : after
            lastFound = nil
        }
        return (before, after)
    }

    private func put(_ data: Data?, of layer: Int, in list: inout [SettingsStoreCandidate]) {
        let place = list.firstIndex { rank(of: $0) >= layer } ?? list.endIndex
        let isThere = place < list.endIndex && rank(of: list[place]) == layer
        switch (data, isThere) {
        case (let data?, true): if list[place].data != data { list[place].data = data }
        case (let data?, false):
            list.insert(.init(data, layer: names[layer], isLocking: layer < writable), at: place)
        case (nil, true): list.remove(at: place)
        case (nil, false): break
        }
    }

    private func rank(of candidate: SettingsStoreCandidate) -> Int {
        guard let name = candidate.layer else { return writable }
        return names.firstIndex(of: name) ?? names.endIndex
    }

    // MARK: Layers that are read at each access

    /// Returns the layers to read for a name, and the number of times that each has published so far.
    func layersToRead() -> [(layer: Int, revision: Int)] {
        layers.indices.compactMap { layer in
            let isDue = layers[layer].isReadThrough || layer == writable && !layers[layer].isFollowed
            return isDue ? (layer, layers[layer].revision) : nil
        }
    }

    /// Records a value that was read, unless the layer has published since.
    mutating func record(_ data: Data?, under name: String, of layer: Int, revision: Int) {
        guard !layers[layer].isFollowed else { return }
        if !layers[layer].wasLoaded { layers[layer].readNames.insert(name) }
        if !layers[layer].isLoadDue { layers[layer].failure = nil }
        guard layers[layer].revision == revision else { return }
        replace(data, by: data, under: name, in: layer)
    }

    /// Records that a layer could not be read.
    ///
    /// - Returns: Whether to report it.
    mutating func recordFailure(_ error: SettingsError, of layer: Int) -> Bool {
        guard !layers[layer].isFollowed else { return false }
        defer { layers[layer].failure = error }
        return layers[layer].failure?.description != error.description
    }

    /// Returns whether a change must wait until a layer has been read.
    private mutating func isDeferred(
        _ change: SettingsStoreChange, of layer: Int, origin: SettingsService.Origin
    ) -> Bool {
        let isKnown = layers.allSatisfy { $0.isFollowed || $0.knows(change.name) || !$0.isReadThrough }
        if isKnown && deferred[change.name] == nil { return false }
        deferred[change.name, default: Deferred(origin: origin)].origin = origin
        if deferred[change.name]?.old[layer] == nil {
            deferred[change.name]?.old[layer] = .some(change.oldData)
        }
        return true
    }

    /// The names whose change waits until layers have been read.
    var deferredNames: [String] { deferred.isEmpty ? [] : Array(deferred.keys) }

    /// Removes a waiting change.
    mutating func removeDeferred(_ name: String) -> (change: SettingsStoreChange, origin: SettingsService.Origin)? {
        guard let waiting = deferred.removeValue(forKey: name) else { return nil }
        let after = list(of: name)
        var before = after
        for (layer, data) in waiting.old { put(data, of: layer, in: &before) }
        if !isFollowingAll {
            if let last = lastPublished[name] { before = last }
            lastPublished[name] = after
        }
        if before == after { return nil }
        return (SettingsStoreChange(name: name, from: before, to: after), waiting.origin)
    }

    // MARK: Loading

    /// Begins to notify readers of changes, after all layers were loaded for the first time.
    mutating func begin() { isReady = true }

    /// Allows the layers to be loaded, because all of them have observers.
    mutating func recordListening() { isListening = true }

    /// The layers that are to be loaded.
    var layersToLoad: [Int] {
        isFollowingAll || !isListening ? [] : layers.indices.filter { layers[$0].isLoadDue }
    }

    /// Records that a layer publishes all of its changes from now on, so that it can be followed.
    mutating func recordExhaustive(_ layer: Int) { if !layers[layer].isFollowed { layers[layer].isLoadDue = true } }

    /// Begins to load a layer.
    ///
    /// - Parameter isForced: Whether to load it even if the last attempt was a moment ago.
    /// - Returns: Whether it is due, and no other thread loads it.
    mutating func beginLoading(_ layer: Int, isForced: Bool) -> Bool {
        let status = layers[layer]
        guard status.isLoadDue, status.changesWhileLoading == nil else { return false }
        if !isForced, status.nextTry > .now { return false }
        layers[layer].changesWhileLoading = [:]
        return true
    }

    /// Records all values of a layer, except those that have changed since loading began, and follows the layer.
    ///
    /// - Returns: The resulting changes for readers.
    mutating func finishLoading(_ layer: Int, with values: [String: Data]) -> [SettingsStoreChange] {
        var values: [String: Data?] = values
        for (name, list) in lists where values[name] == nil && list.contains(where: { rank(of: $0) == layer }) {
            values[name] = .some(nil)
        }
        values.merge(layers[layer].changesWhileLoading ?? [:]) { $1 }
        let damage = layers[layer].damage
        layers[layer] = LayerStatus(isFollowed: true, isLoadDue: false, wasLoaded: true)
        layers[layer].damage = damage
        recordFollowing()
        var published: [SettingsStoreChange] = []
        for (name, data) in values {
            let (before, after) = replace(nil, by: data, under: name, in: layer)
            guard isReady, before != after else { continue }
            if deferred[name] != nil {
                let old = before.first { rank(of: $0) == layer }?.data
                if deferred[name]?.old[layer] == nil { deferred[name]?.old[layer] = .some(old) }
            } else {
                published.append(SettingsStoreChange(name: name, from: before, to: after))
            }
        }
        return published
    }

    /// Records that a layer is read at each access.
    ///
    /// - Parameter isLoadDue: Whether to load it nevertheless, because it has just begun to publish all of its changes.
    mutating func readThrough(_ layer: Int, isLoadDue: Bool) {
        layers[layer].changesWhileLoading = nil
        layers[layer].isLoadDue = isLoadDue
        layers[layer].failure = nil
    }

    /// Records that a layer could not be loaded.
    ///
    /// - Returns: Whether to report it.
    mutating func failLoading(_ layer: Int, _ error: SettingsError) -> Bool {
        layers[layer].changesWhileLoading = nil
        layers[layer].nextTry = .now + CoreTimings.layerPause
        return recordFailure(error, of: layer)
    }
}
