import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes that a store held under a name before external changes, since this process last wrote there.
///
/// A setting that rejects external bytes keeps its last good value. A service or a handle that uses the setting later finds it here, on
/// the store's feed, and so has the same one. Only names that a service uses are recorded.
final class EarlierBytes: Sendable {
    private struct Place: Hashable {
        let name: String
        let layer: String?
    }

    private struct Entry {
        /// Nil for no value.
        let data: Data?
        /// Whether a setting has accepted the bytes, or all that judged them have rejected them; nil if none has judged them. No
        /// value is no mistake.
        var isAccepted: Bool?

        init(data: Data?) {
            self.data = data
            isAccepted = data == nil ? true : nil
        }
    }

    /// The bytes in each place, the newest last: those that are stored now. A leaf.
    private let entries = Mutex<[Place: [Entry]]>([:], .leaf)
    /// Whether there is an entry, so that the usual case costs one load.
    private let hasEntries = Atomic(false)
    /// Those of the layers' stores, for a store with layers.
    private let ofLayers: [(layer: String?, bytes: EarlierBytes)]

    init(ofLayers: [(layer: String?, bytes: EarlierBytes)] = []) { self.ofLayers = ofLayers }

    /// Whether nothing is recorded. One load for each layer.
    var isEmpty: Bool { !hasEntries.load(ordering: .acquiring) && ofLayers.allSatisfy(\.bytes.isEmpty) }

    /// Returns the bytes before those of a candidate, the newest first; none if this process has written the candidate's.
    func bytes(before candidate: SettingsStoreCandidate, named name: String) -> [Data?] {
        if isEmpty { return [] }
        return withList(of: name, in: candidate.layer) { list in
            guard let list, let index = list.lastIndex(where: { $0.data == candidate.data }) else { return [] }
            return list[..<index].reversed().map(\.data)
        }
    }

    /// Records an external change. Another service may have recorded it a moment ago.
    func record(_ change: SettingsStoreChange) {
        for layer in change.new.layersThatDiffer(from: change.old) {
            let (old, new) = (change.old.data(in: layer), change.new.data(in: layer))
            withList(of: change.name, in: layer) { Self.record(old, new, in: &$0) }
        }
    }

    private static func record(_ old: Data?, _ new: Data?, in known: inout [Entry]?) {
        var list = known ?? [Entry(data: old)]
        if list.suffix(2).map(\.data) == [old, new] { return }
        // Another process may have changed the bytes while no service used the name.
        if list.last?.data != old { list.append(Entry(data: old)) }
        list.append(Entry(data: new))
        while list.count > 2, list.count > CoreLimits.earlierValues || size(of: list) > CoreLimits.earlierBytes {
            // The newest good bytes may still be in force, and any that are not judged yet may be good.
            let others = list.dropLast()
            let newestGood = others.lastIndex { $0.isAccepted == true } ?? 0
            let rejected = others.firstIndex { $0.isAccepted == false }
            let unneeded = rejected ?? others.prefix(newestGood).indices.first
            list.remove(at: unneeded ?? others.dropFirst().firstIndex { $0.isAccepted == nil } ?? 0)
        }
        known = list
    }

    private static func size(of list: [Entry]) -> Int { list.reduce(0) { $0 + ($1.data?.count ?? 0) } }

    /// Records what a setting has accepted and rejected.
    func record(_ resolution: Resolution, named name: String) {
        if let candidate = resolution.candidate { record(candidate, named: name, isAccepted: true) }
        for rejection in resolution.rejections { record(rejection.candidate, named: name, isAccepted: false) }
    }

    /// Records that a setting has accepted or rejected the bytes of a candidate.
    func record(_ candidate: SettingsStoreCandidate, named name: String, isAccepted: Bool) {
        if isEmpty { return }
        withList(of: name, in: candidate.layer) { list in
            guard let index = list?.lastIndex(where: { $0.data == candidate.data }) else { return }
            if list?[index].isAccepted != true { list?[index].isAccepted = isAccepted }
        }
    }

    /// Forgets what was stored before a change, because this process has made it. A layer's store itself forgets its values.
    func forget(_ change: SettingsStoreChange) {
        if isEmpty { return }
        entries.withLock { entries in
            for layer in change.new.layersThatDiffer(from: change.old) {
                entries[Place(name: change.name, layer: layer)] = nil
            }
            if entries.isEmpty { hasEntries.store(false, ordering: .releasing) }
        }
    }

    /// Calls `body` with the entries of a name, in the layer's store if the store has layers.
    private func withList<Result: Sendable>(
        of name: String, in layer: String?, _ body: (inout [Entry]?) -> Result
    ) -> Result {
        if let store = ofLayers.first(where: { $0.layer == layer }) {
            return store.bytes.withList(of: name, in: nil, body)
        }
        return entries.withLock { entries in
            defer { if !entries.isEmpty { hasEntries.store(true, ordering: .releasing) } }
            return body(&entries[Place(name: name, layer: layer)])
        }
    }
}
