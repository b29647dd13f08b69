import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Synchronization

/// Shorthand for a key in `.defaults`.
func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .defaults) }

/// Opens the property list at a path of this machine.
func open(_ path: String) throws -> PropertyListStore {
    try PropertyListStore(url: URL(fileURLWithPath: path))
}

/// Collects the errors that a service reports.
final class Problems: Sendable {
    private let errors = Mutex<[SettingsError]>([])

    var all: [SettingsError] { errors.withLock { $0 } }
    var codes: [SettingsError.Code] { all.map(\.code) }

    func append(_ error: SettingsError) { errors.withLock { $0.append(error) } }
}

extension SettingsService {
    /// A service whose `.defaults` are in `store`, and what goes wrong in it.
    static func over(_ store: any SettingsStore) -> (service: SettingsService, problems: Problems) {
        let problems = Problems()
        return (SettingsService(stores: [.defaults: store], diagnosticSink: .init { problems.append($0) }), problems)
    }
}

/// Collects whatever a callback is given.
final class Log<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// Waits until a condition holds, without keeping a thread; for what happens in the background.
///
/// It looks at least a hundred times: where other tests keep all threads busy, minutes pass between one look and the next.
///
/// - Returns: false if it did not hold in time.
func eventually(within seconds: Double = 180, _ condition: () async throws -> Bool) async throws -> Bool {
    let deadline = Date().addingTimeInterval(seconds)
    var looks = 0
    while looks < 100 || Date() < deadline {
        if try await condition() { return true }
        looks += 1
        try await Task.sleep(for: .milliseconds(5))
    }
    return false
}
