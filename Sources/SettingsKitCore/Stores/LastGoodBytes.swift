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

    /// Whether no bytes are known. One load.
    var isEmpty: Bool { !hasEntries.load(ordering: .acquiring) }

    /// The bytes that count in the place of a candidate's; nil if none are known.
    func data(insteadOf candidate: SettingsStoreCandidate, named name: String) -> Data?? {
        if isEmpty { return nil }
        return entries.withLock { entries in
            guard let entry = entries[Place(name: name, layer: candidate.layer)], entry.bad == candidate.data else {
                return nil
            }
            return .some(entry.lastGood)
        }
    }

    func note(_ lastGood: Data?, insteadOf bad: SettingsStoreCandidate, named name: String) {
        entries.withLock { entries in
            entries[Place(name: name, layer: bad.layer)] = (bad.data, lastGood)
            hasEntries.store(true, ordering: .releasing)
        }
    }

    /// Forgets the bytes of a layer, because it holds others now.
    func forget(layer: String?, named name: String) {
        if isEmpty { return }
        entries.withLock { entries in
            entries[Place(name: name, layer: layer)] = nil
            if entries.isEmpty { hasEntries.store(false, ordering: .releasing) }
        }
    }
}
