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

    /// A leaf. The bytes that are bad, and those that count in their place; nil for none.
    private let entries = Mutex<[Place: (bad: Data, lastGood: Data?)]>([:])
    /// Whether there is an entry, so that the usual case costs one load.
    private let hasEntries = Atomic(false)
    /// Those of the stores that a store with layers is made of.
    private let ofLayers: [(layer: String?, bytes: LastGoodBytes)]

    init(ofLayers: [(layer: String?, bytes: LastGoodBytes)] = []) { self.ofLayers = ofLayers }

    /// Whether no bytes are known. One load for each layer.
    var isEmpty: Bool { !hasEntries.load(ordering: .acquiring) && ofLayers.allSatisfy(\.bytes.isEmpty) }

    /// The bytes that count in the place of a candidate's; nil if none are known.
    func data(insteadOf candidate: SettingsStoreCandidate, named name: String) -> Data?? {
        if isEmpty { return nil }
        let own: Data?? = entries.withLock { entries in
            guard let entry = entries[Place(name: name, layer: candidate.layer)], entry.bad == candidate.data else {
                return nil
            }
            return .some(entry.lastGood)
        }
        if own != nil { return own }
        return of(candidate.layer)?.data(insteadOf: SettingsStoreCandidate(candidate.data), named: name) ?? nil
    }

    /// Notes what counts in the place of a candidate, also for those who use the layer's store without the other layers.
    func note(_ lastGood: Data?, insteadOf bad: SettingsStoreCandidate, named name: String) {
        if let bytes = of(bad.layer) {
            return bytes.note(lastGood, insteadOf: SettingsStoreCandidate(bad.data), named: name)
        }
        entries.withLock { entries in
            entries[Place(name: name, layer: bad.layer)] = (bad.data, lastGood)
            hasEntries.store(true, ordering: .releasing)
        }
    }

    /// Notes that later bytes were good.
    func change(to lastGood: Data?, layer: String?, named name: String) {
        if isEmpty { return }
        if let bytes = of(layer) { return bytes.change(to: lastGood, layer: nil, named: name) }
        entries.withLock { $0[Place(name: name, layer: layer)]?.lastGood = lastGood }
    }

    /// Forgets the bytes of a layer, because it holds others now.
    func forget(layer: String?, named name: String) {
        if isEmpty { return }
        if let bytes = of(layer) { return bytes.forget(layer: nil, named: name) }
        entries.withLock { entries in
            entries[Place(name: name, layer: layer)] = nil
            if entries.isEmpty { hasEntries.store(false, ordering: .releasing) }
        }
    }

    private func of(_ layer: String?) -> LastGoodBytes? { ofLayers.first { $0.layer == layer }?.bytes }
}
