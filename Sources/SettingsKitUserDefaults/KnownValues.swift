import Foundation
import SettingsKitCore

/// The last values that a store has published, or read first, by name. Other code changes them, too: each new reading is compared
/// with them, and the difference is published.
struct KnownValues {
    private var values: [String: Data?] = [:]

    /// The names that were read.
    var names: [String] { Array(values.keys) }

    /// The known bytes under a name; nil if the name was never read.
    subscript(name: String) -> Data?? { values[name] }

    /// Records the bytes under a name.
    ///
    /// - Returns: The change since the last ones; nil if the bytes are equal, or the first.
    mutating func record(_ data: Data?, under name: String) -> SettingsStoreChange? {
        guard let known = values.updateValue(data, forKey: name), known != data else { return nil }
        return SettingsStoreChange(name: name, from: known, to: data)
    }

    /// Makes the next bytes under a name the first.
    mutating func forget(_ name: String) { values[name] = nil }
}
