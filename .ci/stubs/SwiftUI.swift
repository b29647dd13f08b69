// The few declarations of Apple's SwiftUI, and of what Foundation has on Apple platforms only, that SettingsKit and its guides use.
// Enough to type-check the glue where there is no Apple SDK; nothing here does anything.

@_exported import Foundation

@propertyWrapper public struct Binding<Value> {
    public init(get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void) {
        fatalError()
    }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { fatalError() }
        set {}
    }
}

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) { fatalError() }
    public init(initialValue: Value) { fatalError() }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
}

public struct Slider: View {
    public init(value: Binding<Double>, in bounds: ClosedRange<Double>) {}
    public var body: Never { fatalError() }
}

// Linux's Foundation lacks them.
#if os(Linux)
open class NSUbiquitousKeyValueStore: NSObject {
    public class var `default`: NSUbiquitousKeyValueStore { fatalError() }
    public class var didChangeExternallyNotification: NSNotification.Name { fatalError() }
    open func data(forKey aKey: String) -> Data? { fatalError() }
    open func set(_ aData: Data?, forKey aKey: String) {}
    open func removeObject(forKey aKey: String) {}
    open var dictionaryRepresentation: [String: Any] { fatalError() }
    open func synchronize() -> Bool { fatalError() }
}

public let NSUbiquitousKeyValueStoreChangedKeysKey: String = ""

extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { fatalError() }
}
#endif
