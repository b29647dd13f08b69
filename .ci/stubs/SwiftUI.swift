// The few declarations of Apple's SwiftUI, and of what Foundation has on Apple platforms only, that SettingsKit and its guides use.
// Enough to type-check the glue where there is no Apple SDK; nothing here does anything.

@_exported import Foundation
import Observation

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
    public var projectedValue: Binding<Value> { fatalError() }
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
    public func labelsHidden() -> some View { self }
    public func buttonStyle(_ style: BorderlessButtonStyle) -> some View { self }
    public func searchable(text: Binding<String>) -> some View { self }
    public func accessibilityHidden(_ hidden: Bool) -> some View { self }
    public func accessibilityLabel(_ label: Text) -> some View { self }
    public func accessibilityValue(_ value: Text) -> some View { self }
    public func accessibilityHint(_ hint: Text) -> some View { self }
    // Actions of views are on the main actor.
    public func onSubmit(_ action: @escaping @MainActor () -> Void) -> some View { self }
    public func onDisappear(perform action: (@MainActor () -> Void)? = nil) -> some View { self }
    public func onChange<V: Equatable>(of value: V, _ action: @escaping @MainActor (V, V) -> Void) -> some View { self }
    public func focused(_ condition: FocusState<Bool>.Binding) -> some View { self }
    public func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
}
@propertyWrapper public struct FocusState<Value: Hashable>: DynamicProperty {
    public struct Binding {}
    public init() where Value == Bool { fatalError() }
    public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
    public var projectedValue: Binding { fatalError() }
}
@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public init(wrappedValue: Value) where Value: Observable { fatalError() }
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { fatalError() }
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> { fatalError() }
}
public struct BorderlessButtonStyle {}
extension BorderlessButtonStyle { public static var borderless: BorderlessButtonStyle { fatalError() } }
public struct Font: Sendable { public static let footnote = Font() }
public struct Color: Sendable { public static let secondary = Color(); public static let red = Color() }
public struct HorizontalAlignment: Sendable { public static let leading = HorizontalAlignment() }

// A key that is not a literal is left out: its value would be read as Markdown.
public struct LocalizedStringKey: ExpressibleByStringLiteral { public init(stringLiteral value: String) {} }
public struct Text: StubView {
    public init(_ key: LocalizedStringKey) {}
    public init(verbatim content: String) {}
    public init<F: FormatStyle>(_ input: F.FormatInput, format: F) where F.FormatInput: Equatable, F.FormatOutput == String {}
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
public struct Button: StubView { public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {} }
public struct Toggle: StubView { public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {} }
public struct Picker<Value: Hashable, Content: View>: StubView {
    public init<S: StringProtocol>(_ title: S, selection: Binding<Value>, @ViewBuilder content: () -> Content) {}
}
@available(tvOS, unavailable)
public struct Stepper<Label: View>: StubView {
    public init<V: Strideable>(value: Binding<V>, in bounds: ClosedRange<V>, @ViewBuilder label: () -> Label) {}
}
public struct LabeledContent<Content: View>: StubView {
    public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {}
    @available(*, deprecated, message: "hides the title of the content; hide the label of the control inside it")
    public func labelsHidden() -> some View { self }
}
@available(tvOS, unavailable)
public struct DatePickerComponents: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let hourAndMinute = DatePickerComponents(rawValue: 1)
    public static let date = DatePickerComponents(rawValue: 2)
}
@available(tvOS, unavailable)
public struct DatePicker: StubView {
    public init<S: StringProtocol>(_ title: S, selection: Binding<Date>, displayedComponents: DatePickerComponents) {}
}
public struct TextField: StubView {
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
    public init<S: StringProtocol, F: ParseableFormatStyle>(_ title: S, value: Binding<F.FormatInput?>, format: F) where F.FormatOutput == String {}
}
public struct SecureField: StubView { public init<S: StringProtocol>(_ title: S, text: Binding<String>) {} }
@available(tvOS, unavailable)
public struct Slider<Label: View>: StubView {
    public init(value: Binding<Double>, in bounds: ClosedRange<Double>, @ViewBuilder label: () -> Label) {}
}
@available(tvOS, unavailable)
extension Slider where Label == Never {
    @available(*, deprecated, message: "has no label for assistive technologies")
    public init(value: Binding<Double>, in bounds: ClosedRange<Double>) {}
}

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
public let NSUbiquitousKeyValueStoreQuotaViolationChange: Int = 2
public let NSUbiquitousKeyValueStoreAccountChange: Int = 3

extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { fatalError() }
}
#endif
