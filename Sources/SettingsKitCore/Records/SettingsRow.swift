#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The stored fields of a record: names and JSON.
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

    /// The fields that were added to the row.
    private(set) var members = RowMembers()
    /// Whether the row also keeps fields without a value.
    private(set) var isDeclaring = false
    /// The source of a row that is read.
    private let source: (any RowSource)?
    /// The first part of the names of the fields that are read: not empty for a nested record.
    private var prefix = ""

    /// Creates an empty row, for saving and for testing a custom mapping.
    public init() { source = nil }

    /// Creates a row for reading.
    init(source: any RowSource) { self.source = source }

    /// An empty row that also keeps fields without a value.
    static var declaring: SettingsRow {
        var row = SettingsRow()
        row.isDeclaring = true
        return row
    }

    /// The value of a field; nil if it is missing or cannot be decoded. Setting nil omits the field.
    ///
    /// If nil was stored in place of another default, an optional type distinguishes it from a missing field: `let
    /// limit: Int?? = row["limit"]` is then `.some(nil)`.
    ///
    /// Set fields inside ``SettingsRecord/save(into:)``, and read them inside ``SettingsRecord/load(from:)``. If a
    /// value cannot be encoded as JSON, saving the record fails.
    public subscript<Value: Codable & Sendable>(name: String) -> Value? {
        get {
            let found = first(of: name) { candidate -> Value?? in
                if Value.self is any OptionalValue.Type {
                    return decoded(Value.self, from: candidate, name: name).map { .some($0) }
                }
                return decodedIfPresent(Value.self, from: candidate, name: name)
            }
            if let found { return found }
            // The defaults of a nested record are those of the outer one, which a custom mapping does not know.
            if prefix.isEmpty { return nil }
            return defaultData(name).flatMap { optionalResult(of: { try JSONScalars.value(Value.self, from: $0) }, $0) }
        }
        set {
            switch newValue {
            case let value?: members[name] = ValueMember(value: value)
            case nil: members[name] = isDeclaring ? ValueMember(value: newValue) : nil
            }
        }
    }

    // MARK: Reading

    /// Returns the row in which a nested record finds its fields.
    func nested(under prefix: String) -> SettingsRow {
        var row = self
        row.prefix += prefix
        return row
    }

    private func fullName(_ name: String) -> String { prefix.isEmpty ? name : prefix + name }

    /// The names of the fields of the empty record.
    var defaultNames: [String] {
        let names = source?.defaultNames ?? members.names
        return names.compactMap { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : nil }
    }

    /// Returns the result for the first candidate that is a value. The last good value of a layer takes the place of a rejected one.
    ///
    /// - Parameter read: Returns nil for a candidate that is no value, and records the error.
    func first<Result>(of name: String, _ read: (SettingsStoreCandidate) -> Result?) -> Result? {
        for candidate in candidates(name) {
            if let result = read(candidate) { return result }
            guard let source else { continue }
            for data in source.earlier(before: candidate, of: fullName(name)) {
                // The layer had no value.
                guard let data else { break }
                var good = candidate
                good.data = data
                if let result = source.withoutReporting({ read(good) }) { return result }
            }
        }
        return nil
    }

    /// Returns the layers' candidates for a field, the highest first, or the member that was added to the row.
    func candidates(_ name: String) -> [SettingsStoreCandidate] {
        source?.candidates(fullName(name)) ?? data(name).map { [SettingsStoreCandidate($0)] } ?? []
    }

    /// Returns whether a layer's candidate for a field represents nil, which is then the field's value.
    func isNil(_ candidate: SettingsStoreCandidate, name: String) -> Bool {
        // The field may be a Boolean.
        let isNull = candidate.form == .stored ? candidate.data == Self.null : candidate.isNil(isFlag: true)
        guard isNull else { return false }
        if let attribute = source?.attribute(of: fullName(name)), !attribute.acceptsNil {
            source?.record(SettingsError(.invalidValue, expected: attribute.expected), with: fullName(name), candidate)
            return false
        }
        source?.accept(candidate, of: fullName(name))
        return true
    }

    /// Decodes a layer's candidate for an optional field; returns nil if it is neither nil nor a value of the type, and records the
    /// error.
    func decodedIfPresent<Value: Decodable>(
        _ type: Value.Type, from candidate: SettingsStoreCandidate, name: String
    ) -> Value?? {
        if candidate.form != .stored { return decoded(Value?.self, from: candidate, name: name) }
        if candidate.data != Self.null { return decoded(type, from: candidate, name: name).map { .some($0) } }
        return isNil(candidate, name: name) ? .some(nil) : nil
    }

    /// Decodes the first candidate that is a value of a type; returns nil if none is, and records the errors.
    func decoded<Value: Decodable>(_ type: Value.Type, name: String) -> Value? {
        first(of: name) { decoded(type, from: $0, name: name) }
    }

    /// Returns the bytes of a field: stored, or added to the row.
    package func data(_ name: String) -> Data? {
        if let source { return source.data(fullName(name)) }
        do {
            return try encoded(fullName(name))
        } catch {
            // Saving the record reports it.
            return nil
        }
    }

    /// Returns the bytes of the empty record's field, in a row that is read.
    package func defaultData(_ name: String) -> Data? { source?.defaultData(fullName(name)) }

    /// Records that a field's bytes cannot be decoded.
    package func record(_ error: any Error, with name: String, data: Data) {
        source?.record(error, with: fullName(name), SettingsStoreCandidate(data))
    }

    /// Records that the caller decodes a field's bytes, and may fail.
    func recordOpening(_ name: String) { source?.recordOpening(fullName(name)) }

    /// Decodes a layer's candidate; returns nil if it is no value of the type, and records the error.
    func decoded<Value: Decodable>(
        _ type: Value.Type, from candidate: SettingsStoreCandidate, name: String
    ) -> Value? {
        let isFlag = StandardText.isFlag(type)
        guard candidate.concerns(isFlag: isFlag) else { return nil }
        let attribute = source?.attribute(of: fullName(name))
        do {
            let value =
                candidate.form == .stored
                ? try stored(type, candidate.data, name)
                : try value(
                    type, ofTexts: candidate.texts(isFlag: isFlag, of: { StandardText.type(of: type) }), attribute)
            if let attribute, !attribute.accepts(value) {
                throw SettingsError(.invalidValue, expected: attribute.expected)
            }
            source?.accept(candidate, of: fullName(name))
            return value
        } catch {
            source?.record(error, with: fullName(name), candidate)
            return nil
        }
    }

    private func stored<Value: Decodable>(_ type: Value.Type, _ data: Data, _ name: String) throws -> Value {
        do {
            return try JSONScalars.value(type, from: data)
        } catch DecodingError.keyNotFound(let key, let context) {
            guard let empty = defaultData(name) else { throw DecodingError.keyNotFound(key, context) }
            return try JSONDecoder.standard().decode(type, from: data, missingMembersFrom: empty)
        } catch {
            // As a setting of the type does.
            guard let value: Value = TolerantDecoding.value(from: data) else { throw error }
            return value
        }
    }

    /// Parses an argument, a variable or the value in a file, like a setting of the type.
    private func value<Value: Decodable>(
        _ type: Value.Type, ofTexts texts: [String]?, _ attribute: (any FieldAttribute)?
    ) throws -> Value {
        if let texts, let value: Value = StandardText.read(texts) { return value }
        throw SettingsError(
            .invalidValue, expected: attribute?.expected ?? StandardText.type(of: type).expected,
            underlying: texts?.last.flatMap { StandardText.problem($0, as: type) })
    }

    // MARK: Writing

    package mutating func put(_ data: Data, under name: String) { members[name] = DataMember(data: data) }

    /// Adds the members of a value that `Codable` encodes to the row.
    mutating func setMembers(of value: some Encodable, _ layout: RecordLayout) throws {
        if let members = try RowEncoder.members(of: value, layout, isDeclaring: isDeclaring) {
            self.members.reserveCapacity(self.members.count + members.count)
            for (name, member) in members {
                precondition(
                    !isDeclaring || layout.isPlain || self.members[name] == nil,
                    "Two fields of \(type(of: value)) are named \(name).")
                self.members[name] = member
            }
        } else {
            let json = try JSONEncoder.stable().encode(value)
            for (key, data) in try JSONMembers.members(of: json) { put(data, under: layout.name(ofKey: key)) }
        }
    }

    /// Serializes a field that was added to the row; returns nil if there is none, or if it is nil.
    ///
    /// - Throws: ``FieldError`` if it cannot be encoded, ``InvalidName`` if no key can have its name.
    func encoded(_ name: String) throws -> Data? {
        guard let member = members[name] else { return nil }
        if !Self.isValid(name) { throw InvalidName() }
        return try Self.encoded(member, name)
    }

    /// Serializes a field; returns nil if it is nil.
    ///
    /// - Throws: ``FieldError`` if it cannot be encoded.
    static func encoded(_ member: any RowMember, _ name: String) throws -> Data? {
        do {
            let data = try member.encoded()
            return data == null ? nil : data
        } catch {
            throw FieldError(name: name, underlying: error)
        }
    }

    /// Returns whether a field can have this name, after the record's name.
    static func isValid(_ name: String) -> Bool { !name.utf8.contains(0) }

    /// The error that no key can have a field's name.
    struct InvalidName: ValueFreeError {
        var description: String { "The name of a field contains NUL, or is empty in a record without a name." }
    }

    /// The field that could not be encoded.
    struct FieldError: Error {
        let name: String
        let underlying: any Error
    }
}

/// The source of a row that is read.
protocol RowSource: AnyObject {
    /// Returns the stored bytes of a field.
    func data(_ name: String) -> Data?
    /// Returns the layers' candidates for a field, the highest first.
    func candidates(_ name: String) -> [SettingsStoreCandidate]
    /// Returns the bytes that the layer of a rejected candidate held before, the newest first.
    func earlier(before candidate: SettingsStoreCandidate, of name: String) -> [Data?]
    /// Tries bytes that are no longer stored, and does not report if they are no value.
    func withoutReporting<Result>(_ body: () -> Result) -> Result
    /// Records that a field has the value of a candidate.
    func accept(_ candidate: SettingsStoreCandidate, of name: String)
    /// Returns the attribute of a field.
    func attribute(of name: String) -> (any FieldAttribute)?
    /// Returns the bytes of the empty record's field.
    func defaultData(_ name: String) -> Data?
    /// The names of the fields of the empty record.
    var defaultNames: [String] { get }
    /// Records that the caller decodes a field's bytes, and may fail.
    func recordOpening(_ name: String)
    /// Records that a layer's candidate for a field is no value of it.
    func record(_ error: any Error, with name: String, _ candidate: SettingsStoreCandidate)
}
