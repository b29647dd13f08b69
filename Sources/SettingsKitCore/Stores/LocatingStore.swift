#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that can tell where a value stands: in which file, on which line.
package protocol LocatingStore: SettingsStore {
    /// The line of the store's file on which the key stands; nil if it is not there with these bytes, or has no line.
    ///
    /// Called once for each diagnosis, with no lock held. May read the file.
    func line(of name: String, holding data: Data) -> Int?

    /// Whether the store's file is damaged, so that some of what it holds may be missing. By default, false.
    var isDamaged: Bool { get }

    /// What messages call a layer of the store. By default, the description of the store.
    func description(ofLayer layer: String?) -> String
}

extension LocatingStore {
    package func description(ofLayer layer: String?) -> String { storeDescription }
    package var isDamaged: Bool { false }
}

extension SettingsStore {
    /// Adds the place of a problem to an error about one of the store's values.
    func locating(_ error: SettingsError) -> SettingsError {
        // Most stores have no layers. A cast that fails takes as long as reading a small file.
        let description = error.layer == nil ? nil : (self as? any LocatingStore)?.description(ofLayer: error.layer)
        return error.completed(key: nil, store: description ?? storeDescription)
    }
}
