#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values of a ``LayeredStore``: a row for each name, with the candidates of the layers, which are the columns.
///
/// A column that is *followed* always has all values of its layer. Another column has the values that were last published or read,
/// of the names that are known. A value that becomes known was there before; a value that differs from the known one is a change,
/// whether the layer has published it or it was found by reading. A change waits until each column that is read at each access
/// knows the name, so that the candidates before and after it are complete.
struct LayerTable: Sendable {
    typealias Row = [SettingsStoreCandidate]
    typealias Origin = SettingsService.Origin

    /// The layers' names; nil for the one that is written to.
    private let names: [String?]
    /// The position of the layer that is written to. Layers above it lock.
    let writable: Int
    private(set) var texts: LayerTexts
    private var columns: [LayerColumn]
    /// The rows that are not empty. A name without a row may have candidates in text layers.
    private var rows: [String: Row] = [:]
    /// The names without a row that are used, if a text that is replaced may have values for them.
    private var emptyNames: Set<String> = []
    /// The names of the rows without the candidates of texts, because they have not been used since their stores were loaded.
    private var incompleteNames: Set<String> = []
    /// The position of the row that was found last: a set looks it up before it writes, and again when its change is published.
    /// Nil after rows were added or removed.
    private var lastFound: (name: String, index: Dictionary<String, Row>.Index)?
    /// The rows that listeners know, of the names whose change waits. Empty if every column is followed.
    private var waiting: [String: (before: Row, origin: Origin)] = [:]
    /// Whether every column is followed.
    private(set) var isFollowingAll = false
    /// The number of publications and readings so far. A value takes the place of one from an earlier moment.
    private var moment = 0

    /// Creates the table of layers that the caller then loads.
    init(_ layers: [LayeredStore.Layer], writable: Int) {
        self.writable = writable
        texts = LayerTexts(layers, writable: writable)
        names = layers.map(\.name)
        columns = layers.map { LayerColumn(access: $0.text == nil ? .due(nil) : .followed) }
    }

    // MARK: Rows

    /// Returns the layers' candidates under a name, the highest first, as far as they are known.
    mutating func candidates(under name: String) -> Row {
        if let index = index(of: name) { return rows.values[index] }
        // Kept, so that the text layers are searched once.
        let row = texts.candidates(for: name)
        setRow(row, at: nil, of: name)
        return row
    }

    /// Returns the position of a name's row; nil if there is none.
    private mutating func index(of name: String) -> Dictionary<String, Row>.Index? {
        if let lastFound, lastFound.name == name { return lastFound.index }
        guard let index = rows.index(forKey: name) else { return nil }
        if !incompleteNames.isEmpty, incompleteNames.remove(name) != nil {
            for candidate in texts.candidates(for: name) { insert(candidate, in: &rows.values[index]) }
        }
        lastFound = (name, index)
        return index
    }

    private mutating func setRow(_ row: Row, at index: Dictionary<String, Row>.Index?, of name: String) {
        if let index, !row.isEmpty {
            rows.values[index] = row
        } else if index != nil || !row.isEmpty {
            rows[name] = row.isEmpty ? nil : row
            lastFound = nil
        }
        if texts.mayChange { if row.isEmpty { emptyNames.insert(name) } else { emptyNames.remove(name) } }
    }

    private func layer(of candidate: SettingsStoreCandidate) -> Int {
        names.firstIndex(of: candidate.layer) ?? names.endIndex
    }

    private func insert(_ candidate: SettingsStoreCandidate, in row: inout Row) {
        row.insert(candidate, at: row.firstIndex { layer(of: $0) > layer(of: candidate) } ?? row.endIndex)
    }

    private func put(_ data: Data?, of layer: Int, in row: inout Row) {
        let place = row.firstIndex { self.layer(of: $0) >= layer } ?? row.endIndex
        let isThere = place < row.endIndex && self.layer(of: row[place]) == layer
        switch (data, isThere) {
        case (let data?, true): row[place].data = data
        case (let data?, false):
            row.insert(.init(data, layer: names[layer], isLocking: layer < writable), at: place)
        case (nil, true): row.remove(at: place)
        case (nil, false): break
        }
    }

    /// Returns whether the table always has all values of a layer.
    func isFollowing(_ layer: Int) -> Bool { columns[layer].isFollowed }

    /// Returns the names that have a value in a layer that is a store, as far as they are known.
    ///
    /// - Parameter layers: The layers to leave out.
    func storedNames(except layers: [Int]) -> [String] {
        let layers = layers + texts.layers
        return rows.lazy.filter { $0.value.contains { !layers.contains(layer(of: $0)) } }.map(\.key)
            .filter(SettingsService.StorageKey.isValid)
    }

    /// Returns the first layer whose value under a name is these bytes.
    func layer(holding data: Data, under name: String) -> Int? {
        rows[name]?.first { $0.form == .stored && $0.data == data }.map(layer(of:))
    }

    /// Returns the obstacle to writing a name; nil if it can be written.
    ///
    /// - Parameter disregarded: The candidates that lock nothing.
    mutating func obstacle(to name: String, disregarding disregarded: Row) -> LayeredStore.Obstacle? {
        let row = candidates(under: name)
        // The candidates that lock come first.
        for index in row.indices {
            guard row[index].isLocking else { break }
            if !disregarded.contains(row[index]) { return .candidate(row[index], layer: layer(of: row[index])) }
        }
        for layer in 0..<writable {
            guard let problem = columns[layer].problem, !columns[layer].hasText else { continue }
            // A damaged file may have had any value.
            if isFollowing(layer) || !columns[layer].knows(name) { return .unreadable(problem, layer: layer) }
        }
        return nil
    }

    /// Returns the first obstacle to a batch, and the key that cannot be written; nil if there is none.
    mutating func obstacle(
        to batch: SettingsStoreBatch
    ) -> (obstacle: LayeredStore.Obstacle, key: SettingsService.StorageKey)? {
        for write in batch.writes {
            let disregarded = batch.options.disregardedLocks[write.key.name] ?? []
            if let obstacle = obstacle(to: write.key.name, disregarding: disregarded) { return (obstacle, write.key) }
        }
        return nil
    }

    /// Returns a batch for the layer that is written to; nil if an expectation does not hold.
    mutating func lowered(_ batch: SettingsStoreBatch) -> SettingsStoreBatch? {
        var lower = batch
        lower.options.disregardedLocks = [:]
        lower.expectations = []
        for expectation in batch.expectations {
            let row = candidates(under: expectation.key.name)
            let holds = expectation.candidates.map { $0 == row } ?? (row.storedData == expectation.data)
            guard holds else { return nil }
            lower.expectations.append(.init(key: expectation.key, data: row.first { $0.layer == nil }?.data))
        }
        return lower
    }

    // MARK: Changes

    /// Applies changes that a layer publishes.
    ///
    /// - Returns: The changes to publish.
    mutating func apply(_ changes: [SettingsStoreChange], of layer: Int, origin: Origin) -> [SettingsStoreChange] {
        var published: [SettingsStoreChange] = []
        published.reserveCapacity(changes.count)
        moment += 1
        for change in changes where change.oldData != change.newData {
            if let highest = replaceHighest(by: change, of: layer) {
                published.append(highest)
                continue
            }
            if !isFollowing(layer) {
                _ = learn(change.oldData, under: change.name, of: layer)
                columns[layer].known[change.name] = moment
            }
            let known = replace(change.newData, under: change.name, of: layer, origin)
            if let settled = known ?? settleKnown(change.name) { published.append(settled) }
        }
        return published
    }

    /// Applies the usual change: the layer that is written to has a value before and now, and no layer above has one. No row is
    /// created then.
    ///
    /// - Returns: The change to publish; nil if it is not the usual one.
    private mutating func replaceHighest(by change: SettingsStoreChange, of layer: Int) -> SettingsStoreChange? {
        guard layer == writable, isFollowingAll, change.oldData != nil, let new = change.newData,
            let index = index(of: change.name), rows.values[index][0].layer == nil
        else { return nil }
        let old = rows.values[index][0].data
        rows.values[index][0].data = new
        return SettingsStoreChange(name: change.name, from: old, highestOf: rows.values[index])
    }

    /// Replaces a layer's value.
    ///
    /// - Returns: The change to publish; nil if there is none, or if it may have to wait.
    private mutating func replace(
        _ data: Data?, under name: String, of layer: Int, _ origin: Origin
    ) -> SettingsStoreChange? {
        let index = index(of: name)
        let before = index.map { rows.values[$0] } ?? texts.candidates(for: name)
        var after = before
        put(data, of: layer, in: &after)
        if before == after { return nil }
        setRow(after, at: index, of: name)
        return change(of: name, from: before, to: after, origin)
    }

    /// - Returns: The change to publish; nil if it may have to wait.
    private mutating func change(of name: String, from before: Row, to after: Row, _ origin: Origin)
        -> SettingsStoreChange?
    {
        if isFollowingAll { return SettingsStoreChange(name: name, from: before, to: after) }
        waiting[name] = (waiting[name]?.before ?? before, origin)
        return nil
    }

    /// Replaces the text of a layer. Linear in the number of names that have been read or have a value in a store.
    ///
    /// - Returns: The changes to publish.
    mutating func replaceText(of layer: Int, by text: any LayerText) -> [SettingsStoreChange] {
        moment += 1
        columns[layer].problem = nil
        columns[layer].hasText = true
        texts.replace(text, of: layer)
        var published: [SettingsStoreChange] = []
        for name in Array(rows.keys) + emptyNames {
            if incompleteNames.contains(name) { continue }
            let index = index(of: name)
            let before = index.map { rows.values[$0] } ?? []
            var after = before.filter { self.layer(of: $0) != layer }
            if let candidate = texts.candidate(for: SpelledName(name), in: text, of: layer) {
                insert(candidate, in: &after)
            }
            // Also if only its place in the file differs.
            setRow(after, at: index, of: name)
            if before == after { continue }
            let known = change(of: name, from: before, to: after, .external)
            if let settled = known ?? settleKnown(name) { published.append(settled) }
        }
        return published
    }

    /// Records a value that becomes known, and was there before. Only of a layer that is read at each access: if a layer cannot be
    /// loaded, readers are answered without its values, so that these are changes when it can.
    ///
    /// - Returns: Whether the value was not known.
    private mutating func learn(_ data: Data?, under name: String, of layer: Int) -> Bool {
        guard columns[layer].isReadThrough, !columns[layer].knows(name) else { return false }
        guard data != nil else { return true }
        // A row that is not used yet stays without the candidates of texts.
        let index = rows.index(forKey: name)
        var row = index.map { rows.values[$0] } ?? []
        put(data, of: layer, in: &row)
        if index == nil, !texts.all.isEmpty, !emptyNames.contains(name) { incompleteNames.insert(name) }
        setRow(row, at: index, of: name)
        if var change = waiting[name] {
            put(data, of: layer, in: &change.before)
            waiting[name] = change
        }
        return true
    }

    /// Returns whether no column must be read before a change is published. A name that no setting can have is not read.
    private func isKnown(_ name: String) -> Bool {
        columns.allSatisfy { !$0.isReadThrough || $0.knows(name) } || !SettingsService.StorageKey.isValid(name)
    }

    /// The names whose change waits until layers have been read.
    var waitingNames: [String] { Array(waiting.keys) }

    /// Removes the changes that need not wait any longer, to publish them.
    ///
    /// - Parameter read: Names that were read just now. A layer that could not be read then is not waited for.
    mutating func settle(read: [String] = []) -> [(change: SettingsStoreChange, origin: Origin)] {
        waiting.keys.filter { read.contains($0) || isKnown($0) }.compactMap { settle($0) }
    }

    private mutating func settleKnown(_ name: String) -> SettingsStoreChange? { isKnown(name) ? settle(name)?.0 : nil }

    private mutating func settle(_ name: String) -> (change: SettingsStoreChange, origin: Origin)? {
        guard let (before, origin) = waiting.removeValue(forKey: name) else { return nil }
        let after = candidates(under: name)
        return before == after ? nil : (SettingsStoreChange(name: name, from: before, to: after), origin)
    }

    // MARK: Reading

    /// Begins to read layers.
    ///
    /// - Returns: The layers that an access reads, and the present moment.
    mutating func beginReading() -> (layers: [Int], since: Int) {
        moment += 1
        // Also a writable layer that cannot be loaded: a reader gets its error, or what a stand-in keeps.
        let layers = columns.indices.filter { columns[$0].isReadThrough || $0 == writable && !columns[$0].isFollowed }
        return (layers, moment)
    }

    /// Records a value that was read, unless a newer one was published or read since the reading began.
    mutating func record(_ data: Data?, under name: String, of layer: Int, since start: Int) {
        if isFollowing(layer) { return }
        if take(data, under: name, of: layer, since: start) { columns[layer].known[name] = start }
        if case .read = columns[layer].access { columns[layer].problem = nil }
    }

    /// - Returns: Whether there is no newer value.
    private mutating func take(_ data: Data?, under name: String, of layer: Int, since start: Int) -> Bool {
        if let known = columns[layer].known[name], known > start { return false }
        if !learn(data, under: name, of: layer) { _ = replace(data, under: name, of: layer, .external) }
        return true
    }

    /// Records that a layer could not be read.
    ///
    /// - Returns: Whether to report it.
    mutating func recordProblem(_ error: SettingsError, of layer: Int) -> Bool {
        if isFollowing(layer) { return false }
        defer { columns[layer].problem = error }
        return columns[layer].problem?.description != error.description
    }

    // MARK: Loading

    /// Begins to load the layers that are due.
    ///
    /// - Parameter forced: The layer to load even if it is not due yet.
    /// - Returns: The layers that the caller loads, and the present moment.
    mutating func beginLoading(at now: ContinuousClock.Instant, forced: Int?) -> (layers: [Int], since: Int) {
        moment += 1
        let layers = columns.indices.filter { layer in
            guard case .due(let time?) = columns[layer].access else { return false }
            return layer == forced || time <= now
        }
        for layer in layers { columns[layer].access = .due(nil) }
        return (layers, moment)
    }

    /// Records all values of a layer, except those published since loading began, and follows the layer.
    ///
    /// - Parameter damage: The error because of which values are missing.
    mutating func follow(_ layer: Int, with values: [String: Data], since start: Int, damage: SettingsError?) {
        let removed = rows.filter { name, row in
            values[name] == nil && row.contains { self.layer(of: $0) == layer }
        }
        for name in removed.keys { _ = take(nil, under: name, of: layer, since: start) }
        for (name, data) in values { _ = take(data, under: name, of: layer, since: start) }
        columns[layer] = LayerColumn(access: .followed, problem: damage)
        isFollowingAll = columns.allSatisfy(\.isFollowed)
    }

    /// Ends loading a layer that cannot be followed now.
    ///
    /// - Parameter time: The time at which to load it again; nil to read it at each access.
    mutating func endLoading(_ layer: Int, until time: ContinuousClock.Instant?) {
        columns[layer].access = time.map { .due($0) } ?? .read
        if time == nil { columns[layer].problem = nil }
    }

    /// Records that a layer publishes every change from now on, so that it can be followed.
    mutating func recordExhaustive(_ layer: Int, at now: ContinuousClock.Instant) {
        if case .read = columns[layer].access { columns[layer].access = .due(now) }
    }

    // MARK: Problems

    /// The errors because of which layers cannot be read, or were damaged.
    var problems: [SettingsError] { columns.compactMap(\.problem) }

    /// The layers whose stores' files were damaged.
    var damagedLayers: [Int] {
        columns.indices.filter { isFollowing($0) && columns[$0].problem != nil && !texts.layers.contains($0) }
    }

    /// Records that a layer's file is intact; or the error because of which its text cannot be read now.
    mutating func record(_ problem: SettingsError?, of layer: Int) { columns[layer].problem = problem }
}
