import SettingsCommandLine
import SettingsKit

/// Settings as an object in JSON, with a member for each.
///
/// A value stored as JSON appears unchanged. All other bytes are `{"$data": "…"}`, in base 64, and so is JSON that differs from
/// the form that the library writes, so that an import restores exactly the exported bytes. The members `$comment` and `$schema`
/// are ignored, unless they are data.
enum JSONTransfer {
    private static let ignored: Set = ["$comment", "$schema"]

    // MARK: Writing

    static func text(of settings: [String: Data]) -> String {
        let members = settings.sorted { $0.key < $1.key }.map {
            (name: $0.key, value: value(of: $0.value, named: $0.key))
        }
        return JSONText.object(members).indented + "\n"
    }

    static func value(of bytes: Data, named name: String) -> JSONText {
        if !ignored.contains(name), let json = StoredText.json(of: bytes), data(in: bytes) == nil {
            return .value(json)
        }
        return .object([(UntypedValue.dataMember, .string(bytes.base64EncodedString()))])
    }

    // MARK: Reading

    static func read(_ file: Data) throws(SettingsFileProblem) -> TransferredSettings {
        var settings = TransferredSettings()
        for (name, json) in try JSONMembersFile.members(of: file).sorted(by: { $0.key < $1.key }) {
            if let bytes = try bytes(of: json, named: name) { settings.add(name, bytes) }
        }
        return settings
    }

    /// The bytes to store for a member; nil if it is ignored.
    static func bytes(of json: Data, named name: String) throws(SettingsFileProblem) -> Data? {
        guard let text = data(in: json) else { return ignored.contains(name) ? nil : json }
        if case .string(let text) = text, let data = Data(base64Encoded: text) { return data }
        throw SettingsFileProblem("\(quoted(name)): The text of \(UntypedValue.dataMember) is not base 64")
    }

    /// The value of the single member `$data` of an object; nil for any other value.
    private static func data(in json: Data) -> JSONValue? {
        guard json.starts(with: "{\"\(UntypedValue.dataMember)\":".utf8), let members = JSONValue(json: json)?.members,
            members.count == 1
        else { return nil }
        return members[UntypedValue.dataMember]
    }
}
