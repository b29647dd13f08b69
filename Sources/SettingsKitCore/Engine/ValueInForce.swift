#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is in force of a setting at a moment: a stored value and, once it is judged, the value that readers get.
///
/// The store decides what is stored, and the setting's type and validation what is in force. Rejected bytes that another process
/// has stored leave the value before in force; those of this process, and those found in a newly connected store, the default.
///
/// An object, because it is passed on with every change, and copies would cost more.
final class ValueInForce: Sendable {
    /// The stored value.
    let stored: StoredValue
    /// What takes the place of rejected bytes, in the order in which it is tried.
    let earlier: [EarlierCandidate]
    /// The value that this program has set, if it is stored.
    let setValue: SetValue?
    /// How the stored value is known.
    let knowledge: Knowledge
    /// The verdict; nil if the stored value was not judged.
    let resolution: Resolution?

    /// How a stored value is known.
    enum Knowledge {
        /// The store has published it, or held it before it published a change.
        case published
        /// It was read in a newly connected store, which may be about to publish the change to it.
        case read
        /// Not at all: the store could not be read, so each reader tries again.
        case provisional
    }

    /// The bytes of a layer before others; nil for no value.
    typealias EarlierCandidate = (layer: String?, data: Data?)

    init(
        _ stored: StoredValue, earlier: [EarlierCandidate] = [], setValue: SetValue? = nil,
        knowledge: Knowledge = .published, _ resolution: Resolution? = nil
    ) {
        (self.stored, self.earlier, self.setValue, self.resolution) = (stored, earlier, setValue, resolution)
        self.knowledge = knowledge
    }

    /// Creates what is in force for a setting of which nothing is known but the stored value.
    ///
    /// - Parameter earlier: What the store held before; nil if that is not known.
    convenience init(
        _ stored: StoredValue, named name: String, after earlier: EarlierBytes?, knowledge: Knowledge = .published
    ) {
        guard let earlier, !earlier.isEmpty else {
            self.init(stored, knowledge: knowledge)
            return
        }
        self.init(
            stored,
            earlier: stored.all.flatMap { candidate in
                earlier.bytes(before: candidate, named: name).map {
                    (layer: candidate.layer, data: $0)
                }
            }, knowledge: knowledge)
    }

    /// Whether the store could not be read.
    var isProvisional: Bool { knowledge == .provisional }

    /// Whether reading the stored value gives the same.
    var isPlain: Bool { isProvisional || setValue == nil && earlier.isEmpty && resolution?.rejections.isEmpty ?? true }

    /// Returns what is in force after a change, not judged yet.
    func followed(by change: CellChange) -> ValueInForce {
        if !change.isFromOutside, setValue == nil, earlier.isEmpty {
            return ValueInForce(change.new, setValue: change.newValue)
        }
        let changed = change.layers
        var kept = earlier.filter { !changed.contains($0.layer) }
        if change.isFromOutside {
            for layer in changed where change.isFromOutside(in: layer) && change.new.candidate(in: layer) != nil {
                kept += change.skipped.lazy.filter { $0.layer == layer }
                if change.hasOwn(in: layer) { continue }
                // What was in force in the layer, if it is known.
                let isRejected = resolution?.rejections.contains { $0.candidate.layer == layer } ?? false
                if !isRejected { kept.append((layer, stored.data(in: layer))) }
                kept += earlier.lazy.filter { $0.layer == layer }.prefix(CoreLimits.earlierValues)
            }
        }
        let setValue = change.newValue ?? (changed.contains(nil) ? nil : setValue)
        return ValueInForce(change.new, earlier: kept, setValue: setValue)
    }

    /// Returns whether readers get another value than before.
    func differs(from other: ValueInForce) -> Bool {
        guard let resolution, let known = other.resolution else { return stored != other.stored }
        return !resolution.isSame(as: known)
    }

    // MARK: Judging

    /// Returns the same with a verdict.
    ///
    /// - Parameter last: What was in force before, so that nothing is decoded again.
    func judged(by judge: any ValueJudge, after last: ValueInForce? = nil) -> ValueInForce {
        if resolution != nil { return self }
        var rejections: [Resolution.Rejection] = []
        let found = accepted(by: judge, after: last, &rejections)
        let resolution = Resolution(
            value: found?.value ?? judge.erasedDefault, candidate: found?.candidate, rejections: rejections)
        return ValueInForce(
            stored, earlier: earlierThatMatter(found?.candidate), setValue: setValue,
            knowledge: knowledge, resolution)
    }

    /// Returns the value of the first candidate that the setting accepts; nil if there is none.
    func accepted(
        by judge: any ValueJudge, after last: ValueInForce? = nil, _ rejections: inout [Resolution.Rejection]
    ) -> (value: any Sendable, candidate: SettingsStoreCandidate)? {
        guard let candidates = stored.candidates else {
            // Most stores have no layers, and need no array.
            guard let data = stored.data else { return nil }
            return accept(SettingsStoreCandidate(data), by: judge, after: last, &rejections)
        }
        for candidate in candidates where judge.concerns(candidate) {
            if let found = accept(candidate, by: judge, after: last, &rejections) { return found }
        }
        return nil
    }

    /// Returns the value of a candidate, or the last good one of its layer; nil if the next layer is to be used.
    private func accept(
        _ candidate: SettingsStoreCandidate, by judge: any ValueJudge, after last: ValueInForce?,
        _ rejections: inout [Resolution.Rejection]
    ) -> (value: any Sendable, candidate: SettingsStoreCandidate)? {
        if let setValue, candidate.layer == nil, setValue.data == candidate.data { return (setValue.value, candidate) }
        let known = last?.resolution
        if let known, known.candidate == candidate { return (known.value, candidate) }
        do throws(SettingsError) {
            return (try judge.accept(candidate), candidate)
        } catch {
            rejections.append(.init(candidate: candidate, error: error))
        }
        for earlier in earlier where earlier.layer == candidate.layer {
            // The layer had no value.
            guard let data = earlier.data else { return nil }
            var good = candidate
            good.data = data
            if let known, known.candidate == good { return (known.value, good) }
            // Bytes that are no value either were diagnosed when they were read.
            if let value = optionalResult(of: judge.accept, good) { return (value, good) }
        }
        return nil
    }

    /// Returns what still matters: in the layer that is in force, only what is in force in place of rejected bytes.
    private func earlierThatMatter(_ candidate: SettingsStoreCandidate?) -> [EarlierCandidate] {
        guard !earlier.isEmpty, let candidate else { return earlier }
        let others = earlier.filter { $0.layer != candidate.layer }
        if stored.data(in: candidate.layer) == candidate.data { return others }
        return others + [(candidate.layer, candidate.data)]
    }
}
