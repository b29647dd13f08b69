/// A committed change of a setting that waits for its verdict, or for its delivery to listeners. An object, because copies would cost
/// more.
final class CellChange: Sendable {
    /// Whether another store took the place of the last one. Its value is read when the change is judged.
    let isConnection: Bool
    let old: StoredValue
    let new: StoredValue
    let origin: SettingsService.Origin
    /// Whether another process has stored new bytes, so that the setting may reject them without losing its value.
    let isFromOutside: Bool
    /// The layers whose bytes these are; nil for all that differ.
    private let outside: Set<String?>?
    /// What took the place of other bytes in the changes that this one stands for, the newest first.
    let skipped: [ValueInForce.EarlierCandidate]
    /// The number of the commit.
    let sequence: UInt64
    /// The number of the first commit, if it stands for several.
    let first: UInt64
    /// Whether the change begins with what was in force before it. A store without an exhaustive feed may have changed meanwhile.
    let isContinuous: Bool
    /// The new value before it was encoded, if this program has set it.
    let newValue: SetValue?

    init(
        from old: StoredValue, to new: StoredValue, newValue: SetValue? = nil, _ origin: SettingsService.Origin,
        isFromOutside: Bool = false, in outside: Set<String?>? = nil, skipped: [ValueInForce.EarlierCandidate] = [],
        isConnection: Bool = false,
        isContinuous: Bool, sequence: UInt64, first: UInt64? = nil
    ) {
        (self.old, self.new, self.newValue, self.origin) = (old, new, newValue, origin)
        (self.isFromOutside, self.outside, self.skipped) = (isFromOutside, outside, skipped)
        self.isConnection = isConnection
        (self.isContinuous, self.sequence, self.first) = (isContinuous, sequence, first ?? sequence)
    }

    var isLayered: Bool { new.candidates != nil || old.candidates != nil }

    /// Returns whether another process has stored the new bytes of a layer that differs.
    func isFromOutside(in layer: String?) -> Bool { isFromOutside && outside?.contains(layer) ?? true }

    /// Returns the change that stands for this one and `newer`, which follows it.
    func merged(with newer: CellChange) -> CellChange {
        let origin = newer.origin == .external ? .external : origin
        if newer.isConnection {
            return CellChange(
                from: old, to: newer.new, origin, isConnection: true,
                isContinuous: isContinuous && newer.isContinuous, sequence: newer.sequence, first: first)
        }
        var (skipped, outside) = (skipped, outside ?? [])
        if self.outside == nil, isFromOutside { outside = Set(new.layersThatDiffer(from: old)) }
        let changed = newer.new.layersThatDiffer(from: newer.old)
        for layer in changed {
            if newer.isFromOutside(in: layer) {
                outside.insert(layer)
                skipped.insert((layer, newer.old.data(in: layer)), at: 0)
            } else {
                outside.remove(layer)
                skipped.removeAll { $0.layer == layer }
            }
        }
        return CellChange(
            from: old, to: newer.new, newValue: changed.contains(nil) ? newer.newValue : newValue, origin,
            isFromOutside: !outside.isEmpty, in: outside, skipped: Array(skipped.prefix(CoreLimits.earlierValues)),
            isContinuous: isContinuous, sequence: newer.sequence, first: first)
    }
}

/// A change that is delivered to listeners. The values are of the setting's type.
struct DecodedChange: Sendable {
    var oldValue: any Sendable
    var newValue: any Sendable
    /// Whether a value is in force now, and not the default.
    var isSet: Bool
    var origin: SettingsService.Origin
}
