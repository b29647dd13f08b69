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
/// The members that `Codable` encodes are the fields, each stored as JSON under a separate name. To map names and values, use
/// `CodingKeys` and custom encodings as usual with `Codable`, or implement ``save(into:)`` and ``load(from:)``.
public protocol SettingsRecord: Codable, Sendable {
    /// The record while no field is stored. A field that is not stored, or that cannot be decoded and had no value before, has the
    /// value of this record.
    static var empty: Self { get }

    /// Adds the fields to a row. By default, encodes them with `Codable`.
    ///
    /// - Throws: an error if this record cannot be stored; nothing is stored then.
    func save(into row: inout SettingsRow) throws

    /// Creates a record from the fields of a row. By default, decodes them with `Codable`, and takes missing ones from
    /// ``empty``.
    ///
    /// It must read each field that it may need, whichever values the others have: the record observes the fields that it reads.
    ///
    /// - Throws: an error if the row is not a record, which then reads as ``empty``.
    static func load(from row: SettingsRow) throws -> Self
}

extension SettingsRecord {
    /// Adds the fields that `Codable` encodes to the row.
    public func save(into row: inout SettingsRow) throws {
        try row.setMembers(of: self, .of(Self.self))
    }

    /// Creates a record with `Codable`. Missing fields have the values of ``empty``.
    public static func load(from row: SettingsRow) throws -> Self {
        try Self(from: RowDecoder(row: row, layout: .of(Self.self)))
    }
}
