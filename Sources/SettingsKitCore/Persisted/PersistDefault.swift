/// Whether reading a property writes its default. Off by default.
///
/// A stored default stays when a later version of the program has another default, and on a new device it can replace the value of
/// another device. So by default, a property only reads as its default while no value is stored.
public struct PersistDefault: OptionSet, Sendable {
    /// The raw value of the options.
    public let rawValue: Int

    /// Creates options from a raw value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Never writes the default.
    public static let never: PersistDefault = []
    /// Writes the default if no value is stored.
    public static let whenNil = PersistDefault(rawValue: 1)
    /// Replaces bytes that cannot be decoded as the property's type with the default. Those bytes are lost. Does not write to a
    /// store that cannot be read.
    public static let onError = PersistDefault(rawValue: 2)
}
