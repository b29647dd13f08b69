/// When a property's default is stored by reading it; never, unless it is asked for.
///
/// A default that is stored stays what it was when a later version of the program has another one, and on a new device it
/// can win over the value of another device. So a default is normally only what is read while nothing is stored.
public struct PersistDefault: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Options with the given bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A default is never stored.
    public static let never: PersistDefault = []
    /// Reading stores the default when nothing is stored.
    public static let whenNil = PersistDefault(rawValue: 1)
    /// Reading replaces what is stored by the default when it is no value of the property's type. What was stored is lost.
    /// A store that cannot be read is never written because of that.
    public static let onError = PersistDefault(rawValue: 2)
}
