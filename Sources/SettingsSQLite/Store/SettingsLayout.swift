import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The layout of settings in a database.
protocol SettingsLayout: Sendable {
    /// Creates missing parts in the database; writes nothing if all exist.
    ///
    /// - Parameter isTableRequired: Whether a missing table is an error, instead of being created.
    func prepare(_ connection: Connection, isTableRequired: Bool) throws

    /// The differences between the database and `contents`.
    func changes(since contents: [String: Data], on connection: Connection) throws -> [SettingsStoreChange]

    /// Stores or removes data under names, inside a transaction that writes.
    ///
    /// - Parameter writes: The values that differ from the stored ones, each name once, in its stored spelling if it has one.
    /// - Returns: the changes.
    func write(_ writes: [SettingsStoreChange], on connection: Connection) throws -> [SettingsStoreChange]
}
