import SettingsKit
import Synchronization

/// Collects what a callback is given.
final class Log<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// The code of the error that `body` throws; nil if it throws none.
func thrownCode<R>(_ body: () throws -> R) -> SettingsError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? SettingsError)?.code ?? .init(name: "\(type(of: error))", advice: "")
    }
}
