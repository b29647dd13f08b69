import SettingsKitCore

/// A list that any thread appends to.
package final class Recorder<Element: Sendable>: Sendable {
    private let list = Mutex<[Element]>([])

    package init() {}

    package var all: [Element] { list.withLock { $0 } }
    package var count: Int { list.withLock { $0.count } }

    package func append(_ element: Element) { list.withLock { $0.append(element) } }
}

extension Recorder where Element == SettingsError {
    /// The codes of the errors.
    package var codes: [SettingsError.Code] { all.map(\.code) }
}

/// One value that any thread reads and writes.
package final class Box<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    package init(_ value: Value) { content = Mutex(value) }

    package var value: Value {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    package func take(replacingWith value: Value) -> Value {
        content.withLock { content in
            defer { content = value }
            return content
        }
    }
}
