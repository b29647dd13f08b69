extension SettingsCatalogue {
    /// Returns a JSON schema (draft 2020-12) of a file of settings, for editors and validators.
    ///
    /// It describes one object. Its members have the names of the settings, as in an export. A name with points or colons may also
    /// be nested, as in a file that is a layer: `http.port` is also the member `port` of the object `http`. Limits that a schema
    /// cannot express are in the description.
    public func jsonSchema() -> String {
        var properties: [(name: String, value: JSONText)] = []
        for setting in settings {
            let name = name(of: setting)
            // `check` reports two definitions of one setting.
            if properties.contains(where: { $0.name == name }) { continue }
            properties.append((name, Self.schema(of: setting)))
        }
        properties += Self.nestedProperties(of: properties.map(\.name))
        for name in ["$schema", "$comment"] where !properties.contains(where: { $0.name == name }) {
            properties.append((name, .object([("type", .string("string"))])))
        }
        let schema = JSONText.object([
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")), ("title", .string(title)),
            ("type", .string("object")), ("properties", .object(properties)), ("additionalProperties", .bool(false)),
        ])
        return schema.indented + "\n"
    }

    /// Returns the objects that nested names lead to. An object that is itself the value of a setting has the setting's schema.
    private static func nestedProperties(of names: [String]) -> [(name: String, value: JSONText)] {
        var root = NestedNames()
        for name in names {
            let parts = name.split(omittingEmptySubsequences: false) { $0 == "." || $0 == ":" }
            if parts.count > 1 { root.insert(parts[...], of: name) }
        }
        return root.properties.filter { !names.contains($0.name) }
    }

    /// The names of settings below one level.
    private struct NestedNames {
        /// The setting whose name ends here; nil if there is none.
        private var setting: String?
        private var parts: [(name: String, names: NestedNames)] = []

        mutating func insert(_ path: ArraySlice<Substring>, of setting: String) {
            guard let first = path.first else { return self.setting = self.setting ?? setting }
            let place = parts.firstIndex { $0.name == first } ?? parts.endIndex
            if place == parts.endIndex { parts.append((String(first), NestedNames())) }
            parts[place].names.insert(path.dropFirst(), of: setting)
        }

        var properties: [(name: String, value: JSONText)] { parts.map { ($0.name, $0.names.schema) } }

        private var schema: JSONText {
            if let setting { return .object([("$ref", .string("#/properties/\(Self.pointer(setting))"))]) }
            return .object([
                ("type", .string("object")), ("properties", .object(properties)),
                ("additionalProperties", .bool(false)),
            ])
        }

        /// Escapes a name for a JSON pointer in a URI (RFC 6901, section 6).
        private static func pointer(_ name: String) -> String {
            name.utf8.map { byte in
                switch byte {
                case UInt8(ascii: "~"): return "~0"
                case UInt8(ascii: "/"): return "~1"
                case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "_"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    return String(UnicodeScalar(byte))
                default: return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
                }
            }.joined()
        }
    }

    private static func schema(of setting: SettingsService.SettingDefinition) -> JSONText {
        let type = setting.catalogued.valueDescription
        let constraint = type.constraint
        var members: [(name: String, value: JSONText)] = []
        members.append(("description", .string(description(of: setting))))
        if let json = type.json {
            members.append(("type", type.isOptional ? .array([.string(json), .string("null")]) : .string(json)))
        }
        if let allowed = constraint.allowed {
            var required = type
            required.isOptional = false
            let values = allowed.map { JSONText.value(type.json == nil ? "null" : required.json(ofText: $0)) }
            if type.json != nil { members.append(("enum", .array(values + (type.isOptional ? [.value("null")] : [])))) }
        }
        if type.json == "integer" || type.json == "number" {
            let limits = [
                ("minimum", constraint.minimum), ("maximum", constraint.maximum),
                ("exclusiveMaximum", constraint.exclusiveMaximum),
            ]
            for case (let name, let limit?) in limits { members.append((name, .value(limit))) }
        }
        let countNames = ["string": "minLength", "array": "minItems", "object": "minProperties"]
        if let count = constraint.minimumCount, let name = type.json.flatMap({ countNames[$0] }) {
            members.append((name, .value(String(count))))
        }
        if let format = type.format { members.append(("format", .string(format))) }
        if let encoding = type.encoding { members.append(("contentEncoding", .string(encoding))) }
        if setting.isSecret {
            members.append(("writeOnly", .bool(true)))
        } else if let text = setting.defaultText {
            members.append(("default", json(of: text, setting)))
        }
        return .object(members)
    }
}
