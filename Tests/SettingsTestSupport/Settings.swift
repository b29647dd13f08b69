import SettingsKitCore

/// Shorthand for a key in `.defaults`.
package func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .defaults) }

/// The code of the error that `body` throws; nil if it throws none.
package func thrownCode<R>(_ body: () throws -> R) -> SettingsError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? SettingsError)?.code ?? .init(name: "\(type(of: error))", advice: "")
    }
}

extension SettingsStore {
    /// The number stored in `.defaults`, or 0.
    package func number(_ name: String) throws -> Int {
        try get(SettingsTestSupport.key(name)).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }
}
