// The few declarations of Apple's os module that SettingsKit uses, to type-check the glue where there is no Apple SDK;
// nothing here does anything.

public struct OSLogPrivacy {
    public static var `public`: OSLogPrivacy { fatalError() }
}

public struct OSLogMessage: ExpressibleByStringInterpolation {
    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(_ argument: @autoclosure @escaping () -> String, privacy: OSLogPrivacy) {}
    }
    public init(stringInterpolation: StringInterpolation) {}
    public init(stringLiteral value: String) {}
}

public struct Logger: Sendable {
    public init(subsystem: String, category: String) {}
    public func error(_ message: OSLogMessage) {}
}
