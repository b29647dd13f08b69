import SettingsCommandLine
import SettingsKit

extension UntypedValue {
    /// How the text of an argument becomes bytes.
    enum Form: Sendable {
        /// Keeps the kind of the stored value. Without one, the text is JSON, or a string if it is not JSON.
        case kept
        case json, text, data
    }

    /// Converts a text to bytes.
    ///
    /// - Parameter stored: The kind of the value to replace, which is kept. Nil if there is none.
    /// - Throws: A failure that says what is expected. It does not contain the text.
    static func data(
        of text: String, as form: Form, replacing stored: Kind?, name: String
    ) throws(CommandFailure) -> Data {
        let json = JSONValue(json: Data(text.utf8)).map { Data($0.text.utf8) }
        let data: Data? =
            switch (form, stored) {
            case (.text, _), (.kept, .text): StoredText.json(ofString: text)
            case (.data, _), (.kept, .data): Data(base64Encoded: text)
            case (.json, _): json
            case (.kept, nil), (.kept, .null): json ?? StoredText.json(ofString: text)
            case (.kept, let kind): json.flatMap { UntypedValue($0).kind == kind ? $0 : nil }
            }
        if let data { return data }
        guard form == .kept, let stored else {
            throw .usage("\(quoted(name)): The text is not \(form == .json ? "JSON" : "base 64"). Nothing was changed.")
        }
        throw .failure(
            "\(quoted(name)): The stored value is of the kind \(stored.rawValue), and the text is not. Nothing was changed. To "
                + "change the kind, add --json, --string or --data.")
    }
}
