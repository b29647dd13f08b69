extension SettingsCatalogue {
    /// Returns a JSON schema (draft 2020-12) of a file of settings, for editors and validators.
    ///
    /// It describes one object. Its members have the names of the settings, so a name that contains a point is one member. Settings
    /// are exported and imported as JSON in this form. Limits that a schema cannot express are in the description.
    public func jsonSchema() -> String {
        var properties: [(name: String, value: JSONText)] = []
        for setting in settings {
            let name = name(of: setting)
            // `check` reports two definitions of one setting.
            if properties.contains(where: { $0.name == name }) { continue }
            properties.append((name, Self.schema(of: setting)))
        }
        for name in ["$schema", "$comment"] where !properties.contains(where: { $0.name == name }) {
            properties.append((name, .object([("type", .string("string"))])))
        }
        let schema = JSONText.object([
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")), ("title", .string(title)),
            ("type", .string("object")), ("properties", .object(properties)), ("additionalProperties", .bool(false)),
        ])
        return schema.indented + "\n"
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
