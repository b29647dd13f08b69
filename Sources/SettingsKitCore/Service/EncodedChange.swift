/// A committed change of one setting, as bytes.
struct EncodedChange: Sendable {
    var old: StoredValue
    var new: StoredValue
    var origin: SettingsService.Origin
    /// Whether another process, an editor or a device made the change, so that the setting may reject the new bytes.
    var isFromOutside: Bool
    /// The number of its commit in the connection.
    var sequence: UInt64
    /// The new value before it was encoded, if this program has set it. Must not be released inside the connection's lock.
    var newValue: SetValue?

    /// Whether the store has layers, so that the value in force may not have changed.
    var isLayered: Bool { new.candidates != nil || old.candidates != nil }

    /// Merges this change with `newer`, which follows it.
    func merged(with newer: EncodedChange) -> EncodedChange {
        EncodedChange(
            old: old, new: newer.new, origin: origin == .external ? .external : newer.origin,
            isFromOutside: isFromOutside || newer.isFromOutside, sequence: newer.sequence, newValue: newer.newValue)
    }
}

/// A change that is delivered to listeners. The values are of the setting's type.
struct DecodedChange: Sendable {
    var oldValue: any Sendable
    var newValue: any Sendable
    /// Whether a value is stored now.
    var isSet: Bool
    var origin: SettingsService.Origin
}
