import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes in force in a running program while a store holds others that every setting of their name rejects.
///
/// They are kept beside the store, on its feed, so that every service and handle keeps the same value, including those that use the
/// store later. Only external bytes have an entry.
final class LastGoodBytes: Sendable {
    private struct Place: Hashable {
        let name: String
        let layer: String?
    }

    private struct Entry {
        let bad: Data
        /// The bytes in force in their place; nil for no value.
        var lastGood: Data?
        /// The bytes that they replaced.
        let replaced: Data?
        /// Whether a setting has rejected them. Until then, they may be good.
        let isBad: Bool
    }

    /// A leaf.
    private let entries = Mutex<[Place: Entry]>([:], .leaf)
    /// Whether there is an entry, so that the usual case costs one load.
    private let hasEntries = Atomic(false)
    /// The last good bytes of the layers' stores, in a store with layers.
    private let ofLayers: [(layer: String?, bytes: LastGoodBytes)]

    init(ofLayers: [(layer: String?, bytes: LastGoodBytes)] = []) { self.ofLayers = ofLayers }

    /// Whether no bytes are recorded. One load for each layer.
    var isEmpty: Bool { !hasEntries.load(ordering: .acquiring) && ofLayers.allSatisfy(\.bytes.isEmpty) }

    /// Returns the bytes in force in place of a candidate's; nil if none are recorded.
    func data(insteadOf candidate: SettingsStoreCandidate, named name: String) -> Data?? {
        data(of: candidate.layer, name) { $0.bad == candidate.data }
    }

    /// Returns the bytes in force before a change; nil if none are recorded, so that the old ones were in force.
    func data(before new: Data?, insteadOf old: SettingsStoreCandidate, named name: String) -> Data?? {
        // Another service may have recorded the same change a moment ago.
        data(of: old.layer, name) { $0.isBad && $0.bad == old.data || $0.bad == new && $0.replaced == old.data }
    }

    private func data(of layer: String?, _ name: String, where isWanted: (Entry) -> Bool) -> Data?? {
        if isEmpty { return nil }
        if let bytes = of(layer) { return bytes.data(of: nil, name, where: isWanted) }
        return entries.withLock { entries in
            guard let entry = entries[Place(name: name, layer: layer)], isWanted(entry) else { return nil }
            return .some(entry.lastGood)
        }
    }

    /// Records the bytes in force in place of a candidate, also for services that use the layer's store without the other layers.
    ///
    /// - Parameters:
    ///   - replaced: The bytes that the candidate replaced.
    ///   - isBad: Whether a setting has rejected the candidate.
    func record(
        _ lastGood: Data?, insteadOf bad: SettingsStoreCandidate, replacing replaced: Data?, named name: String,
        isBad: Bool
    ) {
        if let bytes = of(bad.layer) {
            let bad = SettingsStoreCandidate(bad.data)
            return bytes.record(lastGood, insteadOf: bad, replacing: replaced, named: name, isBad: isBad)
        }
        entries.withLock { entries in
            let entry = Entry(bad: bad.data, lastGood: lastGood, replaced: replaced, isBad: isBad)
            entries[Place(name: name, layer: bad.layer)] = entry
            hasEntries.store(true, ordering: .releasing)
        }
    }

    /// Records that later bytes are good.
    func change(to lastGood: Data?, layer: String?, named name: String) {
        if isEmpty { return }
        if let bytes = of(layer) { return bytes.change(to: lastGood, layer: nil, named: name) }
        entries.withLock { $0[Place(name: name, layer: layer)]?.lastGood = lastGood }
    }

    /// Removes the entry of a layer, because the layer now holds other bytes, or because its bytes are good.
    ///
    /// - Parameter good: The bytes that are known to be good; nil to remove any entry.
    func forget(layer: String?, named name: String, ifNoted good: Data? = nil) {
        if isEmpty { return }
        if let bytes = of(layer) { return bytes.forget(layer: nil, named: name, ifNoted: good) }
        entries.withLock { entries in
            let place = Place(name: name, layer: layer)
            if good == nil || entries[place]?.bad == good { entries[place] = nil }
            if entries.isEmpty { hasEntries.store(false, ordering: .releasing) }
        }
    }

    private func of(_ layer: String?) -> LastGoodBytes? { ofLayers.first { $0.layer == layer }?.bytes }
}
