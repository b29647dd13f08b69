import Foundation
import SettingsKitCore

extension SettingsStore {
    /// What is stored under a name, as text.
    func text(_ name: String) throws -> String? {
        try get(.init(name, scope: .defaults)).map { String(decoding: $0, as: UTF8.self) }
    }
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

extension Recorder where Element == String {
    /// Writes down updates: "1-2", and " external" where it was not this process; or the code of a failure.
    func listener<T>() -> @Sendable (Result<SettingsService.Change<T>, SettingsError>) -> Void {
        { result in
            switch result {
            case .success(let change):
                let origin = change.origin == .external ? " external" : ""
                self.append("\(change.oldValue)-\(change.newValue)\(origin)")
            case .failure(let error): self.append(error.code.name)
            }
        }
    }
}
