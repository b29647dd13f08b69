import SettingsCommandLine
import SettingsKit

/// Settings as the lines of an environment file, `NAME=value`, as shells, systemd and containers read it.
///
/// ## Names
/// A variable is spelled as the environment layer spells it (`launchCount` is `LAUNCH_COUNT`), after a prefix. Characters other
/// than `A` to `Z`, digits and `_` become `_`, and a variable that another setting already has gets a number at its end. A
/// comment in the line before has the name: `# setting "launchCount"`. So an export is imported under the same names. A variable
/// without this comment is the stored setting with that spelling, or else a new one with the variable's name, without the prefix.
///
/// ## Values
/// A value without quotation marks ends at ` #` or with the line; spaces around it do not count. Between single quotation marks
/// every character stands for itself, and line breaks are allowed. Between double quotation marks, `\n`, `\r`, `\t`, `\"`, `\\`,
/// `\$` and `` \` `` are escapes. Variables are not substituted. A value without quotation marks is JSON if it is a number,
/// `true`, `false` or `null`, and otherwise a string. `as json`, `as string` or `as data` at the end of the comment overrides
/// this; data is in base 64.
enum EnvironmentTransfer {
    /// How a text stands for bytes.
    enum Kind: String, Sendable {
        case string, json, data
    }

    /// A line of a file.
    struct Entry: Equatable, Sendable {
        var variable: String
        var text: String
        var isQuoted: Bool
        /// The line, from 1.
        var line: Int
        /// The name in the comment before it.
        var name: String?
        /// The kind in the comment before it.
        var kind: Kind?
    }

    // MARK: Writing

    static func text(of settings: [String: Data], prefix: String = "") -> String {
        var used: Set<String> = []
        var text = ""
        for (name, bytes) in settings.sorted(by: { $0.key < $1.key }) {
            var variable = self.variable(for: name, prefix: prefix)
            var number = 2
            while !used.insert(variable).inserted {
                variable = "\(self.variable(for: name, prefix: prefix))_\(number)"
                number += 1
            }
            let value = value(of: bytes)
            let kind = value.kind.map { " as \($0.rawValue)" } ?? ""
            text += "# setting \(JSONText.quoted(name))\(kind)\n\(variable)=\(value.text)\n"
        }
        return text
    }

    private static func variable(for name: String, prefix: String) -> String {
        let spelled = SettingSpelling.variable(for: name, prefix: prefix)
        let variable = String(
            String.UnicodeScalarView(spelled.unicodeScalars.map { isVariableCharacter($0) ? $0 : "_" }))
        return variable.first?.isNumber == false ? variable : "_" + variable
    }

    static func isVariableCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "_": true
        default: false
        }
    }

    /// The text after the equals sign, and the kind unless the text shows it.
    private static func value(of bytes: Data) -> (text: String, kind: Kind?) {
        if let string = StoredText.string(of: bytes) {
            if let text = quoted(string) { return (text, nil) }
        } else if let json = StoredText.json(of: bytes), isScalar(json) {
            return (json, nil)
        }
        if let json = StoredText.json(of: bytes) {
            // JSON escapes replace the characters that a terminal or a shell would alter.
            let text = JSONText.value(json).compact.replacing("'", with: "\\u0027")
            return ("'\(text)'", .json)
        }
        return ("'\(bytes.base64EncodedString())'", .data)
    }

    /// A string in quotation marks; nil if it has characters without an escape.
    private static func quoted(_ string: String) -> String? {
        let scalars = string.unicodeScalars
        if !scalars.contains(where: { $0 == "'" || $0.disturbsOutput }) { return "'\(string)'" }
        var text = "\""
        for scalar in scalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\"", "\\", "$", "`": text += "\\\(scalar)"
            case _ where scalar.disturbsOutput: return nil
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Whether an unquoted text is a value of JSON and not a string.
    private static func isScalar(_ text: String) -> Bool {
        if ["true", "false", "null"].contains(text) { return true }
        return JSONScanner.scan(Data(text.utf8)) { $0.skipNumber() != nil && $0.isAtEnd }
    }

    // MARK: Reading

    /// Reads the variables of a file that begin with a prefix.
    ///
    /// - Parameters:
    ///   - stored: The store's settings, which determine the names and kinds of variables without a comment.
    ///   - prefix: The prefix of variables that are settings. All others are ignored.
    static func read(
        _ file: Data, over stored: [String: Data] = [:], prefix: String = ""
    ) throws(TransferProblem) -> TransferredSettings {
        var reader = try EnvironmentReader(file)
        var names: [String: [String]]?
        var settings = TransferredSettings()
        while let entry = try reader.next() {
            guard entry.variable.hasPrefix(prefix) else { continue }
            var name = entry.name
            if name == nil {
                let spelled = names ?? Dictionary(grouping: stored.keys) { variable(for: $0, prefix: prefix) }
                names = spelled
                let candidates = spelled[entry.variable] ?? []
                if candidates.count > 1 {
                    let list = candidates.sorted().map(JSONText.quoted).joined(separator: ", ")
                    settings.unsupported.append(
                        .init(name: entry.variable, reason: "it stands for several settings: \(list)"))
                    continue
                }
                name = candidates.first ?? String(entry.variable.dropFirst(prefix.count))
            }
            guard let bytes = bytes(of: entry, like: name.flatMap { stored[$0] }) else {
                let kind = entry.kind == .data ? "base 64" : "JSON"
                throw TransferProblem(message: "The value of \(entry.variable) is not \(kind).", line: entry.line)
            }
            settings.add(name ?? "", bytes)
        }
        return settings
    }

    /// - Parameter old: The stored bytes, whose kind is kept for a value without a comment where possible.
    private static func bytes(of entry: Entry, like old: Data?) -> Data? {
        switch entry.kind {
        case .string: return StoredText.json(ofString: entry.text)
        case .json: return StoredText.canonicalJSON(of: Data(entry.text.utf8))
        case .data: return Data(base64Encoded: entry.text)
        case nil: break
        }
        // Only an export writes the comment, and it writes the quotation marks, too.
        if entry.name == nil, let old, let bytes = bytes(of: entry.text, like: old) { return bytes }
        let isValue = !entry.isQuoted && isScalar(entry.text)
        return isValue ? Data(entry.text.utf8) : StoredText.json(ofString: entry.text)
    }

    /// Converts a text to bytes of the same kind as the stored value; nil if that is impossible.
    private static func bytes(of text: String, like old: Data) -> Data? {
        if StoredText.string(of: old) != nil { return StoredText.json(ofString: text) }
        guard StoredText.json(of: old) != nil else { return Data(base64Encoded: text) }
        return StoredText.canonicalJSON(of: Data(text.utf8))
    }
}
