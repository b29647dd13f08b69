/// Whether reading a property writes its default. Off by default.
///
/// A stored default does not change when a later version of the program has another one, and on a new device it can win
/// over the value of another device. So normally, the default is only the value while nothing is stored.
public struct PersistDefault: OptionSet, Sendable {
    /// The raw value of the options.
    public let rawValue: Int

    /// Creates options from a raw value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Never stores the default.
    public static let never: PersistDefault = []
    /// Stores the default if nothing is stored.
    public static let whenNil = PersistDefault(rawValue: 1)
    /// Replaces bytes that cannot be decoded as the property's type by the default. Those bytes are lost. Does not
    /// write to a store that cannot be read.
    public static let onError = PersistDefault(rawValue: 2)
}
