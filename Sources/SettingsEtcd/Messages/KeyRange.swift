import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys that begin with a prefix. The rest of a key is the name of a setting.
struct KeyRange: Equatable, Sendable {
    let prefix: Data
    /// The first key after those with the prefix.
    let end: Data

    /// - Parameter prefix: Not empty.
    init(prefix: String) {
        self.prefix = Data(prefix.utf8)
        // UTF-8 has no byte 0xFF, so the last byte can be incremented.
        var end = self.prefix
        if let last = end.popLast() { end.append(last + 1) }
        self.end = end
    }

    func key(of name: String) -> Data { prefix + Data(name.utf8) }

    func contains(_ key: Data) -> Bool { key.starts(with: prefix) }

    /// The name in a key; nil if no setting can have it.
    func name(in key: Data) -> String? {
        guard contains(key), let name = String(validating: key.dropFirst(prefix.count), as: UTF8.self),
            SettingsService.StorageKey.isValid(name)
        else { return nil }
        return name
    }
}
