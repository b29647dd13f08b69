// The few declarations of Apple's SwiftUI, and of what Foundation has on Apple platforms only, that SettingsKit and its guides use.
// Enough to type-check the glue where there is no Apple SDK; nothing here does anything.

@_exported import Foundation

@propertyWrapper public struct Binding<Value> {
    public init(get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void) {
        fatalError()
    }
    public init(get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value, Transaction) -> Void) {
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
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
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

// MARK: Views, properties and modifiers of SettingsForm and SettingValue

public struct Transaction {}
public func withTransaction<Result>(_ transaction: Transaction, _ body: () throws -> Result) rethrows -> Result { try body() }

public protocol DynamicProperty { mutating func update() }
extension DynamicProperty { public mutating func update() {} }
extension State: DynamicProperty {}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { fatalError() }
    public var wrappedValue: Value { fatalError() }
}

public protocol StubView: View where Body == Never {}
extension StubView { public var body: Never { fatalError() } }

public struct ViewContent<Modifier>: StubView {}
@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = ViewContent<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> { fatalError() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> { fatalError() }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> { fatalError() }
}
public struct TupleView<T>: StubView {}
public struct ConditionalContent<First, Second>: StubView {}
extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }

extension View {
    public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View { self }
    public func modifier<T: ViewModifier>(_ modifier: T) -> some View { self }
    public func disabled(_ disabled: Bool) -> some View { self }
    public func font(_ font: Font?) -> some View { self }
    public func foregroundStyle(_ style: Color) -> some View { self }
    public func tag<V: Hashable>(_ tag: V) -> some View { self }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    public func labelsHidden() -> some View { self }
    public func buttonStyle(_ style: BorderlessButtonStyle) -> some View { self }
}
public struct BorderlessButtonStyle {}
extension BorderlessButtonStyle { public static var borderless: BorderlessButtonStyle { fatalError() } }
public struct Font: Sendable { public static let footnote = Font() }
public struct Color: Sendable { public static let secondary = Color(); public static let red = Color() }
public struct HorizontalAlignment: Sendable { public static let leading = HorizontalAlignment() }
public struct LocalizedStringKey: ExpressibleByStringLiteral {
    public init(_ value: String) {}
    public init(stringLiteral value: String) {}
}

public struct Text: StubView {
    public init(_ key: LocalizedStringKey) {}
    public init(verbatim content: String) {}
    public func font(_ font: Font?) -> Text { self }
}
public struct Form<Content: View>: StubView { public init(@ViewBuilder content: () -> Content) {} }
public struct Section<Parent: View, Content: View>: StubView {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {}
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: StubView {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) where Data.Element: Identifiable, ID == Data.Element.ID {}
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
public struct VStack<Content: View>: StubView {
    public init(alignment: HorizontalAlignment, @ViewBuilder content: () -> Content) {}
}
public struct Button: StubView { public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {} }
public struct Toggle: StubView { public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {} }
public struct Picker<Value: Hashable, Content: View>: StubView {
    public init(_ titleKey: LocalizedStringKey, selection: Binding<Value>, @ViewBuilder content: () -> Content) {}
}
public struct Stepper<Label: View>: StubView {
    public init<V: Strideable>(value: Binding<V>, in bounds: ClosedRange<V>, @ViewBuilder label: () -> Label) {}
}
public struct LabeledContent<Content: View>: StubView {
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
}
public struct DatePickerComponents: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let hourAndMinute = DatePickerComponents(rawValue: 1)
    public static let date = DatePickerComponents(rawValue: 2)
}
public struct DatePicker: StubView {
    public init(_ titleKey: LocalizedStringKey, selection: Binding<Date>, displayedComponents: DatePickerComponents) {}
}
public struct TextField: StubView { public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {} }
public struct SecureField: StubView { public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {} }
public struct Slider: StubView { public init(value: Binding<Double>, in bounds: ClosedRange<Double>) {} }

// Linux's Foundation lacks them.
#if os(Linux)
open class NSUbiquitousKeyValueStore: NSObject {
    public class var `default`: NSUbiquitousKeyValueStore { fatalError() }
    public class var didChangeExternallyNotification: NSNotification.Name { fatalError() }
    open func object(forKey aKey: String) -> Any? { fatalError() }
    open func set(_ anObject: Any?, forKey aKey: String) {}
    open func removeObject(forKey aKey: String) {}
    open var dictionaryRepresentation: [String: Any] { fatalError() }
    open func synchronize() -> Bool { fatalError() }
}

public let NSUbiquitousKeyValueStoreChangedKeysKey: String = ""
public let NSUbiquitousKeyValueStoreChangeReasonKey: String = ""
public let NSUbiquitousKeyValueStoreAccountChange: Int = 3

extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { fatalError() }
}
#endif
