// The declarations of Apple's Dispatch that this package uses.
import Darwin
open class DispatchObject: @unchecked Sendable {}
public struct DispatchTime: Comparable, Sendable {
    public static func now() -> DispatchTime { fatalError() }
    public static let distantFuture = DispatchTime.now()
    public init(uptimeNanoseconds: UInt64) { fatalError() }
    public var uptimeNanoseconds: UInt64 { fatalError() }
    public static func < (a: DispatchTime, b: DispatchTime) -> Bool { fatalError() }
    public static func + (a: DispatchTime, b: DispatchTimeInterval) -> DispatchTime { fatalError() }
    public static func + (a: DispatchTime, b: Double) -> DispatchTime { fatalError() }
}
public struct DispatchWallTime: Sendable {
    public static func now() -> DispatchWallTime { fatalError() }
    public static func + (a: DispatchWallTime, b: DispatchTimeInterval) -> DispatchWallTime { fatalError() }
}
public enum DispatchTimeInterval: Equatable, Sendable { case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never }
public enum DispatchTimeoutResult: Sendable { case success, timedOut }
public struct DispatchQoS: Equatable, Sendable {
    public enum QoSClass: Sendable { case background, utility, `default`, userInitiated, userInteractive }
    public static let background = DispatchQoS()
    public static let utility = DispatchQoS()
    public static let userInitiated = DispatchQoS()
    public static let userInteractive = DispatchQoS()
}
open class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    public init(value: Int) {}
    @discardableResult public func signal() -> Int { fatalError() }
    @available(*, noasync) public func wait() { fatalError() }
    @available(*, noasync) public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { fatalError() }
    @available(*, noasync) public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { fatalError() }
}
open class DispatchGroup: DispatchObject, @unchecked Sendable {
    public override init() {}
    public func enter() { fatalError() }
    public func leave() { fatalError() }
    @available(*, noasync) public func wait() { fatalError() }
    @available(*, noasync) public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { fatalError() }
    public func notify(qos: DispatchQoS = .utility, queue: DispatchQueue, execute work: @escaping @Sendable @convention(block) () -> Void) { fatalError() }
}
public final class DispatchSpecificKey<T>: Sendable { public init() {} }
open class DispatchQueue: DispatchObject, @unchecked Sendable {
    public struct Attributes: OptionSet, Sendable {
        public var rawValue: UInt64
        public init(rawValue: UInt64) { fatalError() }
        public static let concurrent = Attributes(rawValue: 2)
    }
    public class var main: DispatchQueue { fatalError() }
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { fatalError() }
    public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) { fatalError() }
    public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { fatalError() }
    public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }
    public convenience init(
        label: String, qos: DispatchQoS = .utility, attributes: Attributes = [], autoreleaseFrequency: AutoreleaseFrequency = .inherit,
        target: DispatchQueue? = nil
    ) { fatalError() }
    public func async(group: DispatchGroup? = nil, qos: DispatchQoS = .utility, execute work: @escaping @Sendable @convention(block) () -> Void) { fatalError() }
    public func sync<T>(execute work: () throws -> T) rethrows -> T { fatalError() }
    public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable @convention(block) () -> Void) { fatalError() }
    public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) { fatalError() }
}
public protocol DispatchSourceProtocol: AnyObject, Sendable {
    func setEventHandler(qos: DispatchQoS, handler: (@Sendable @convention(block) () -> Void)?)
    func setCancelHandler(qos: DispatchQoS, handler: (@Sendable @convention(block) () -> Void)?)
    func resume()
    func suspend()
    func activate()
    func cancel()
}
extension DispatchSourceProtocol {
    public func setEventHandler(handler: (@Sendable @convention(block) () -> Void)?) { fatalError() }
    public func setCancelHandler(handler: (@Sendable @convention(block) () -> Void)?) { fatalError() }
}
public protocol DispatchSourceRead: DispatchSourceProtocol {}
public protocol DispatchSourceSignal: DispatchSourceProtocol {}
public protocol DispatchSourceTimer: DispatchSourceProtocol {
    func schedule(deadline: DispatchTime, repeating: DispatchTimeInterval, leeway: DispatchTimeInterval)
}
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
    var data: DispatchSource.FileSystemEvent { get }
}
open class DispatchSource: DispatchObject, @unchecked Sendable {
    public struct FileSystemEvent: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let all = FileSystemEvent(rawValue: 127)
        public static let delete = FileSystemEvent(rawValue: 1)
        public static let write = FileSystemEvent(rawValue: 2)
        public static let extend = FileSystemEvent(rawValue: 4)
        public static let attrib = FileSystemEvent(rawValue: 8)
        public static let link = FileSystemEvent(rawValue: 16)
        public static let rename = FileSystemEvent(rawValue: 32)
        public static let revoke = FileSystemEvent(rawValue: 64)
    }
    public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceRead { fatalError() }
    public class func makeSignalSource(signal: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceSignal { fatalError() }
    public class func makeTimerSource(queue: DispatchQueue? = nil) -> any DispatchSourceTimer { fatalError() }
    public class func makeFileSystemObjectSource(fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil) -> any DispatchSourceFileSystemObject { fatalError() }
}
public func dispatchMain() -> Never { fatalError() }
public enum DispatchPredicate: Sendable { case onQueue(DispatchQueue), notOnQueue(DispatchQueue) }
public func dispatchPrecondition(condition: @autoclosure () -> DispatchPredicate) { fatalError() }
