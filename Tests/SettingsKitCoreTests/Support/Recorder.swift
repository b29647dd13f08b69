import SettingsKitCore
import Synchronization

/// A list that any thread appends to.
final class Recorder<Element: Sendable>: Sendable {
    private let list = Mutex<[Element]>([])

    var all: [Element] { list.withLock { $0 } }
    var count: Int { list.withLock { $0.count } }

    func append(_ element: Element) { list.withLock { $0.append(element) } }
}

/// One value that any thread reads and writes.
final class Box<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) { content = Mutex(value) }

    var value: Value {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    func take(replacingWith value: Value) -> Value {
        content.withLock { content in
            defer { content = value }
            return content
        }
    }
}

extension SettingsService {
    /// A service over one store, in `.defaults`.
    static func over(_ store: any SettingsStore, _ problems: Recorder<SettingsError>? = nil) -> SettingsService {
        SettingsService(
            stores: [.defaults: store], diagnosticSink: DiagnosticSink { problems?.append($0) })
    }
}
