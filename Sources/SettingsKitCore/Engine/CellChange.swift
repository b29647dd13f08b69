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
    /// The layers that have changed in the changes that this one stands for, also if they hold the same bytes again: whether another
    /// process was the last to change each, and whether this one has. Nil if the change stands for no others.
    private let merged: [String?: (isFromOutside: Bool, hasOwn: Bool)]?
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
        isFromOutside: Bool = false, merged: [String?: (isFromOutside: Bool, hasOwn: Bool)]? = nil,
        skipped: [ValueInForce.EarlierCandidate] = [], isConnection: Bool = false, isContinuous: Bool, sequence: UInt64,
        first: UInt64? = nil
    ) {
        (self.old, self.new, self.newValue, self.origin) = (old, new, newValue, origin)
        (self.isFromOutside, self.merged, self.skipped) = (isFromOutside, merged, skipped)
        self.isConnection = isConnection
        (self.isContinuous, self.sequence, self.first) = (isContinuous, sequence, first ?? sequence)
    }

    var isLayered: Bool { new.candidates != nil || old.candidates != nil }

    /// The layers that have changed.
    var layers: [String?] { merged.map { Array($0.keys) } ?? new.layersThatDiffer(from: old) }

    /// Returns whether another process has stored the new bytes of a layer that has changed.
    func isFromOutside(in layer: String?) -> Bool { isFromOutside && merged?[layer]?.isFromOutside ?? true }

    /// Returns whether this process has changed a layer before another one has.
    func hasOwn(in layer: String?) -> Bool { merged?[layer]?.hasOwn ?? false }

    /// Returns the change that stands for this one and `newer`, which follows it.
    func merged(with newer: CellChange) -> CellChange {
        let origin = newer.origin == .external ? .external : origin
        if newer.isConnection {
            return CellChange(
                from: old, to: newer.new, origin, isConnection: true,
                isContinuous: isContinuous && newer.isContinuous, sequence: newer.sequence, first: first)
        }
        var skipped = skipped
        var merged = merged ?? Dictionary(uniqueKeysWithValues: layers.map { ($0, (isFromOutside, !isFromOutside)) })
        let changed = newer.layers
        for layer in changed {
            let isFromOutside = newer.isFromOutside(in: layer)
            merged[layer] = (isFromOutside, !isFromOutside || merged[layer]?.hasOwn ?? false)
            if isFromOutside {
                skipped.insert((layer, newer.old.data(in: layer)), at: 0)
            } else {
                skipped.removeAll { $0.layer == layer }
            }
        }
        return CellChange(
            from: old, to: newer.new, newValue: changed.contains(nil) ? newer.newValue : newValue, origin,
            isFromOutside: merged.values.contains(where: \.isFromOutside), merged: merged,
            skipped: Array(skipped.prefix(CoreLimits.earlierValues)), isContinuous: isContinuous,
            sequence: newer.sequence, first: first)
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
