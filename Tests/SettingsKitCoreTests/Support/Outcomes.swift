import Foundation
import SettingsKitCore

extension SettingsStore {
    /// What is stored under a name, as text.
    func text(_ name: String) throws -> String? {
        try get(.init(name, scope: .defaults)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Recorder where Element == String {
    /// Records changes: "1-2", and " external" for those of others.
    func listener<T>() -> @Sendable (SettingsService.Change<T>) -> Void {
        { change in
            let origin = change.origin == .external ? " external" : ""
            self.append("\(change.oldValue)-\(change.newValue)\(origin)")
        }
    }
}
