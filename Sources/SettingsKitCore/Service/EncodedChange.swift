/// A committed change of one setting, as bytes.
struct EncodedChange: Sendable {
    var old: StoredValue
    var new: StoredValue
    var origin: SettingsService.Origin
    /// Whether another process, an editor or a device made it, so that the new bytes may not be a value of the setting.
    var isFromOutside: Bool
    /// The number of its commit in the connection.
    var sequence: UInt64
    /// The value before it was encoded, where this program has set it. Must not be released inside the connection's lock.
    var newValue: SetValue?

    /// Whether the store has layers, so that the value in force may be the same as before.
    var isLayered: Bool { new.candidates != nil || old.candidates != nil }

    /// Both changes as one, where `newer` follows this one.
    func merged(with newer: EncodedChange) -> EncodedChange {
        EncodedChange(
            old: old, new: newer.new, origin: origin == .external ? .external : newer.origin,
            isFromOutside: isFromOutside || newer.isFromOutside, sequence: newer.sequence, newValue: newer.newValue)
    }
}

/// A change as it is delivered to listeners. The values are of the setting's type.
struct DecodedChange: Sendable {
    var oldValue: any Sendable
    var newValue: any Sendable
    /// Whether a value is stored now.
    var isSet: Bool
    var origin: SettingsService.Origin
}
