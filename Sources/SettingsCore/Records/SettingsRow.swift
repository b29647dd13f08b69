#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of a record as they are stored: JSON under names.
///
/// ```swift
/// func save(into row: inout SettingsRow) throws {
///     row["api-url"] = apiURL?.absoluteString
/// }
///
/// static func load(from row: SettingsRow) throws -> Parameters {
///     let address: String? = row["api-url"]
///     return Parameters(apiURL: address.flatMap(URL.init(string:)) ?? empty.apiURL)
/// }
/// ```
public struct SettingsRow {
    package static let null = Data("null".utf8)

    /// What was put into the row.
    private(set) var fields: [String: Data] = [:]
    /// What the row is read from.
    let source: (any RowSource)?
    /// The first problem with putting something into the row.
    private(set) var error: (any Error)?

    /// An empty row, to be saved into; also to try a mapping of your own.
    public init() { source = nil }

    /// A row that is read.
    init(source: any RowSource) { self.source = source }

    /// The value of a field; nil when it is missing, or stored is something else. Setting nil leaves it out.
    ///
    /// Where nil was stored in the place of another default, it is told apart from a missing field when an optional type is
    /// asked for: `let limit: Int?? = row["limit"]` is then `.some(nil)`.
    ///
    /// Inside ``SettingsRecord/save(into:)`` fields are set, inside ``SettingsRecord/load(from:)`` read. A value that has no
    /// JSON fails the whole saving.
    public subscript<Value: Codable & Sendable>(name: String) -> Value? {
        get {
            guard let data = data(name) else { return nil }
            if data == Self.null { return (Value.self as? any OptionalValue.Type)?.erasedNil as? Value }
            return decoded(Value.self, from: data, name: name)
        }
        set {
            guard let newValue else {
                fields[name] = nil
                return
            }
            do {
                put(try JSONScalars.encoded(newValue) ?? JSONTransformer().transformValue(newValue), under: name)
            } catch {
                self.error = self.error ?? SettingsRow.FieldError(name: name, underlying: error)
            }
        }
    }

    /// What is stored of a field, or was put into the row.
    package func data(_ name: String) -> Data? {
        if let source { source.data(name) } else { fields[name] }
    }

    /// What the empty record has for a field, in a row that is read.
    package func defaultData(_ name: String) -> Data? { source?.defaultData(name) }

    /// Takes note that a field's bytes are those of something else.
    package func note(_ error: any Error, with name: String, data: Data) {
        source?.note(error, with: name, data: data)
    }

    /// A value decoded from bytes; nil, with a note, if they are those of something else.
    func decoded<Value: Decodable>(_ type: Value.Type, from data: Data, name: String) -> Value? {
        do {
            return try JSONScalars.value(type, from: data)
        } catch {
            note(error, with: name, data: data)
            return nil
        }
    }

    package mutating func put(_ data: Data, under name: String) {
        fields[name] = data == Self.null ? nil : data
    }

    /// Puts the members of a value into the row, as `Codable` encodes them.
    mutating func takeMembers(of value: some Encodable) throws {
        for (name, data) in try JSONMembers.members(of: JSONEncoder.stable().encode(value)) { put(data, under: name) }
    }

    /// Whether a field can have this name, behind the record's.
    static func isValid(_ name: String) -> Bool { !name.utf8.contains(0) }

    /// A field has a name that no key can have.
    struct InvalidName: ValueFreeError {
        var description: String { "The name of a field contains NUL." }
    }

    /// Which field could not be put into the row.
    struct FieldError: Error {
        let name: String
        let underlying: any Error
    }
}

/// What a row is read from.
protocol RowSource: AnyObject {
    /// What is stored of a field.
    func data(_ name: String) -> Data?
    /// What the empty record has for a field.
    func defaultData(_ name: String) -> Data?
    /// The names of the fields of the empty record.
    var defaultNames: [String] { get }
    /// Notes that the record decodes what is stored of a field itself, and may fail.
    func noteOpening(_ name: String)
    /// Takes note that a field's bytes are those of something else.
    func note(_ error: any Error, with name: String, data: Data)
}
