import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes that count in a running program while a store holds others that no setting of their name accepts.
///
/// They are kept beside the store, on its feed, so that every service and handle goes on with the same value, also one that
/// begins to use the store later. Only bytes that came from outside and were found to be bad are here.
final class LastGoodBytes: Sendable {
    private struct Place: Hashable {
        let name: String
        let layer: String?
    }

    private struct Entry {
        let bad: Data
        /// What counts in their place; nil for nothing.
        var lastGood: Data?
        /// What they have replaced.
        let replaced: Data?
        /// Whether a setting was found not to accept them. Until then, they may be good.
        let isBad: Bool
    }

    /// A leaf.
    private let entries = Mutex<[Place: Entry]>([:], .leaf)
    /// Whether there is an entry, so that the usual case costs one load.
    private let hasEntries = Atomic(false)
    /// Those of the stores that a store with layers is made of.
    private let ofLayers: [(layer: String?, bytes: LastGoodBytes)]

    init(ofLayers: [(layer: String?, bytes: LastGoodBytes)] = []) { self.ofLayers = ofLayers }

    /// Whether no bytes are known. One load for each layer.
    var isEmpty: Bool { !hasEntries.load(ordering: .acquiring) && ofLayers.allSatisfy(\.bytes.isEmpty) }

    /// The bytes that count in the place of a candidate's; nil if none are known.
    func data(insteadOf candidate: SettingsStoreCandidate, named name: String) -> Data?? {
        data(of: candidate.layer, name) { $0.bad == candidate.data }
    }

    /// The bytes that counted before a change; nil if none are known, so that the old ones did.
    func data(before new: Data?, insteadOf old: SettingsStoreCandidate, named name: String) -> Data?? {
        // Another service may have noted the same change a moment ago.
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

    /// Notes what counts in the place of a candidate, also for those who use the layer's store without the other layers.
    ///
    /// - Parameters:
    ///   - replaced: What the candidate has replaced.
    ///   - isBad: Whether a setting was found not to accept the candidate.
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

    /// Notes that later bytes were good.
    func change(to lastGood: Data?, layer: String?, named name: String) {
        if isEmpty { return }
        if let bytes = of(layer) { return bytes.change(to: lastGood, layer: nil, named: name) }
        entries.withLock { $0[Place(name: name, layer: layer)]?.lastGood = lastGood }
    }

    /// Forgets the bytes of a layer, because it holds others now, or because they were found to be good.
    ///
    /// - Parameter good: The bytes that were found to be good; nil to forget any.
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
