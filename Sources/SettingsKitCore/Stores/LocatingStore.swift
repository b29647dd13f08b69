#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that can locate a value: its file and its line.
package protocol LocatingStore: SettingsStore {
    /// Returns the line of the key in the store's file; nil if the file does not hold these bytes there, or has no lines.
    ///
    /// Called once for each diagnosis, with no lock held. May read the file.
    func line(of name: String, holding data: Data) -> Int?

    /// Whether the store's file is damaged, so that values may be missing. By default, false.
    var isDamaged: Bool { get }

    /// Returns the name of a layer of the store in messages. By default, the description of the store.
    func description(ofLayer layer: String?) -> String
}

extension LocatingStore {
    package func description(ofLayer layer: String?) -> String { storeDescription }
    package var isDamaged: Bool { false }
}

extension SettingsStore {
    /// Adds the location of a problem to an error about one of the store's values.
    func locating(_ error: SettingsError) -> SettingsError {
        // Most stores have no layers, and a failing cast takes as long as reading a small file.
        let description = error.layer == nil ? nil : (self as? any LocatingStore)?.description(ofLayer: error.layer)
        return error.completed(key: nil, store: description ?? storeDescription)
    }
}
