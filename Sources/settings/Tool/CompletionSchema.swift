import SettingsKit

/// The names and values of a catalogue, from the JSON schema that ``SettingsCatalogue/jsonSchema()`` makes.
struct CompletionSchema {
    private var properties: [String: JSONValue] = [:]

    /// Reads a schema. A file without one yields no names and no values: completion never fails.
    init(file path: String) {
        guard let data = FileManager.default.contents(atPath: path), data.count <= ToolLimits.schemaSize,
            case .object(let schema)? = JSONValue(json: data),
            case .object(let properties)? = schema["properties"]
        else { return }
        self.properties = properties.filter { !$0.key.hasPrefix("$") }
    }

    var names: [String] { properties.keys.sorted() }

    /// The values that a setting accepts, as texts; none if they are not listed.
    func values(of name: String) -> [String] {
        guard case .object(let property)? = properties[name] else { return [] }
        if case .array(let values)? = property["enum"] {
            return values.compactMap { value in
                if case .string(let text) = value { text } else { value.text }
            }
        }
        switch property["type"] {
        case .string("boolean"): return ["true", "false"]
        case .array(let types) where types.contains(.string("boolean")): return ["true", "false", "null"]
        default: return []
        }
    }
}
