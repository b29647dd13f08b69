#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that can tell where in its file a value stands.
package protocol LocatingStore: SettingsStore {
    /// The line of the store's file on which the key stands; nil if it is not there with these bytes, or has no line.
    ///
    /// Called once for each diagnosis, with no lock held. May read the file.
    func line(of name: String, holding data: Data) -> Int?
}
