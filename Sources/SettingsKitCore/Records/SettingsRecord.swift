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
/// `CodingKeys` and custom encodings as usual with `Codable`. A record encodes the same members whatever their values are, and opens
/// no containers for a part of them: each is one value.
public protocol SettingsRecord: Codable, CustomStringConvertible, Sendable {
    /// The record while no field is stored. A field that is not stored, or that cannot be decoded and had no value before, has the
    /// value of this record.
    static var empty: Self { get }
}

/// How a record becomes fields, and fields a record: by `Codable`, or by functions of its own.
package struct RecordMapping<Record: SettingsRecord>: Sendable {
    /// Returns the members of a record.
    let members: @Sendable (Record) throws -> [any RecordMember]
    /// Returns the record with the values that a reading answers.
    let record: @Sendable (RecordReading) throws -> Record
    /// Whether a field has the value of the property of its name.
    let isCoding: Bool

    static var coding: RecordMapping {
        RecordMapping(
            members: { try RecordEncoder.members(of: $0) },
            record: { try Record(from: RecordDecoder(reading: $0, layout: .of(Record.self))) }, isCoding: true)
    }

    private init(
        members: @escaping @Sendable (Record) throws -> [any RecordMember],
        record: @escaping @Sendable (RecordReading) throws -> Record, isCoding: Bool
    ) {
        (self.members, self.record, self.isCoding) = (members, record, isCoding)
    }

    /// Maps records by functions.
    ///
    /// - Parameters:
    ///   - fields: Returns the names of a record's fields, and the bytes under which they are stored.
    ///   - record: Returns the record of the bytes that a reading has.
    package init(
        fields: @escaping @Sendable (Record) throws -> [(name: String, bytes: Data)],
        record: @escaping @Sendable (RecordReading) throws -> Record
    ) {
        self.init(members: { try fields($0).map { BytesMember($0, $1) } }, record: record, isCoding: false)
    }
}

extension SettingsRecord {
    /// The type and the fields, `Server(port: 1, token: •••)`, without the values of secret fields.
    public var description: String {
        let layout = RecordLayout.of(Self.self)
        let fields = Mirror(reflecting: self).children.map { child -> String in
            let wrapper = child.value as? any FieldWrapper
            let name = wrapper == nil ? child.label ?? "" : String((child.label ?? "").dropFirst())
            if layout.isSecret(name) {
                return "\(name): \(SettingsService.SettingDefinition.hidden)"
            }
            let value: Any = wrapper?.anyValue ?? child.value
            return "\(name): \(value is String ? String(reflecting: value) : String(describing: value))"
        }
        return "\(Self.self)(\(fields.joined(separator: ", ")))"
    }
}
