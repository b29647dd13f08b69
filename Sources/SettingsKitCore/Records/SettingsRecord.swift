#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A structure of parameters that is stored field by field; see ``SettingsStorage``.
///
/// ```swift
/// struct Parameters: SettingsRecord {
///     var isDetailed = false
///     var apiURL: URL?
///     var armedAt: Date?
///
///     static let empty = Parameters()
/// }
/// ```
///
/// That is all: what `Codable` sees as the members of the structure are its fields, each stored as JSON under a name of its
/// own. Names and values are mapped as usual with `Codable`, by `CodingKeys` and by types that encode themselves; or
/// implement ``save(into:)`` and ``load(from:)``.
public protocol SettingsRecord: Codable, Sendable {
    /// The record while nothing is stored. A field that is not stored, or whose stored value is none of its type, has the
    /// value that it has here.
    static var empty: Self { get }

    /// Puts the fields into a row; by default, as `Codable` encodes them.
    ///
    /// - Throws: whatever says that this record cannot be stored; nothing is then.
    func save(into row: inout SettingsRow) throws

    /// Makes a record of the fields in a row; by default, as `Codable` decodes them, with the fields of ``empty`` in the
    /// place of those that are missing.
    ///
    /// It must ask the row for each field that it may have, whatever other fields hold: what it asks for is what the record
    /// hears of.
    ///
    /// - Throws: whatever says that no record can be made of the row; it then reads as ``empty``.
    static func load(from row: SettingsRow) throws -> Self
}

extension SettingsRecord {
    /// Puts the fields into the row as `Codable` encodes them.
    public func save(into row: inout SettingsRow) throws {
        try row.takeMembers(of: self)
    }

    /// Makes a record as `Codable` decodes it, with the fields of ``empty`` in the place of those that are missing.
    public static func load(from row: SettingsRow) throws -> Self {
        try Self(from: RowDecoder(row: row))
    }
}
