// The declarations of Apple's ObjectiveC module that this package uses. The check runs without Objective-C: NSObject is a class
// like any other here.
public protocol NSObjectProtocol: AnyObject {}
open class NSObject: NSObjectProtocol, Hashable, CustomStringConvertible {
    public init() {}
    open var hash: Int { fatalError() }
    open var description: String { fatalError() }
    open func isEqual(_ object: Any?) -> Bool { fatalError() }
    public static func == (a: NSObject, b: NSObject) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
    // Of Foundation. In an extension it could not be overridden here.
    open func observeValue(forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?) { fatalError() }
}
public struct NSKeyValueChangeKey: Hashable, Sendable { public static let newKey = NSKeyValueChangeKey() }
public func autoreleasepool<R>(invoking body: () throws -> R) rethrows -> R { try body() }
public struct ObjCBool: Sendable, ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { fatalError() }
    public init(_ value: Bool) { fatalError() }
    public var boolValue: Bool { fatalError() }
}
