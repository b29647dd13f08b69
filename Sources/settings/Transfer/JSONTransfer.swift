import SettingsCommandLine
import SettingsKit

/// Settings as an object in JSON, with a member for each.
///
/// A value stored as JSON appears unchanged. All other bytes are `{"$data": "…"}`, in base 64, and so is JSON that differs from
/// the form that the library writes, so that an import restores exactly the exported bytes. The members `$comment` and `$schema`
/// are ignored, unless they are data.
///
/// Reading takes linear time, and follows RFC 8259. White space may be anywhere between tokens. Of repeated names the last
/// counts. Values are nested at most 512 levels deep.
enum JSONTransfer {
    private static let dataMember = "$data"
    private static let ignored: Set = ["$comment", "$schema"]

    // MARK: Writing

    static func text(of settings: [String: Data]) -> String {
        let members = settings.sorted { $0.key < $1.key }.map {
            (name: $0.key, value: value(of: $0.value, named: $0.key))
        }
        return JSONText.object(members).indented + "\n"
    }

    static func value(of bytes: Data, named name: String) -> JSONText {
        if !ignored.contains(name), let json = StoredText.json(of: bytes), data(in: bytes) == .value {
            return .value(json)
        }
        return .object([(dataMember, .string(bytes.base64EncodedString()))])
    }

    // MARK: Reading

    static func read(_ file: Data) throws(TransferProblem) -> TransferredSettings {
        var settings = TransferredSettings()
        try JSONMembersFile.read(file) { name, json throws(TransferProblem) in
            if let bytes = try bytes(of: json, named: name) { settings.add(name, bytes) }
        }
        return settings
    }

    /// The bytes to store for a member; nil if it is ignored.
    static func bytes(of json: Data, named name: String) throws(TransferProblem) -> Data? {
        switch data(in: json) {
        case .value: ignored.contains(name) ? nil : json
        case .data(let data): data
        case .damaged: throw TransferProblem(message: "The text of \(dataMember) is not base 64.")
        }
    }

    private enum Content: Equatable {
        /// Any other value.
        case value
        case data(Data)
        case damaged
    }

    /// The contents of an object with the single member `$data`.
    private static func data(in json: Data) -> Content {
        guard json.starts(with: "{\"\(dataMember)\":".utf8) else { return .value }
        var texts: [String?] = []
        let isObject = JSONScanner.scan(json) { scanner in
            let bytes = scanner.bytes
            return scanner.readMembers { _, value in
                var content = JSONScanner(bytes, value)
                texts.append(content.readString())
                return true
            }
        }
        guard isObject, texts.count == 1 else { return .value }
        return texts[0].flatMap { Data(base64Encoded: $0) }.map { .data($0) } ?? .damaged
    }
}
