import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How settings lie in a database.
protocol SettingsLayout: Sendable {
    /// Makes what is missing in the database; writes nothing if nothing is.
    func prepare(_ connection: Connection) throws

    /// What is stored now and differs from `contents`.
    func changes(since contents: [String: Data], on connection: Connection) throws -> [SettingsStoreChange]

    /// Stores data under names, or removes it, inside of a transaction that writes.
    ///
    /// - Parameter writes: What differs from what is stored, each name once, spelled as it is stored if it is.
    /// - Returns: what that has changed.
    func write(_ writes: [SettingsStoreChange], on connection: Connection) throws -> [SettingsStoreChange]
}
