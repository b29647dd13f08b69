#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A format of the files that a ``LayeredStore`` reads.
///
/// ``json``, ``environment(prefix:)`` and `propertyList` are built in. A program adds one with a parser of its choice:
///
/// ```swift
/// extension SettingsFileFormat {
///     static let yaml = SettingsFileFormat { data in
///         try YAMLParser.mapping(in: data).map { name, node in
///             Entry(name, .json(node.json), line: node.line, column: node.column)
///         }
///     }
/// }
/// let layer = LayeredStore.Layer.file(URL(fileURLWithPath: "/etc/player.yaml"), format: .yaml)
/// ```
public struct SettingsFileFormat: Sendable {
    /// The value of an entry.
    public enum Value: Hashable, Sendable {
        /// Text, which the setting's type interprets like the text of a variable.
        case text(String)
        /// JSON. The members of an object are values of settings whose names have one level more: `{"port": 8080}` in the entry
        /// `http` is the value of `http.port`.
        case json(String)
    }

    /// A value in a file.
    public struct Entry: Hashable, Sendable {
        /// The name in the file.
        public var name: String
        /// The value.
        public var value: Value
        /// The line, from 1, for messages.
        public var line: Int?
        /// The column, from 1, for messages.
        public var column: Int?

        /// Creates an entry.
        public init(_ name: String, _ value: Value, line: Int? = nil, column: Int? = nil) {
            (self.name, self.value, self.line, self.column) = (name, value, line, column)
        }
    }

    /// The relation of the names in a file to those of settings.
    public enum Matching: Hashable, Sendable {
        /// The names are those of settings. A level of nesting stands for a point or a colon in a name; a name that is written out
        /// counts before nested ones.
        case exact
        /// The names are spelled as those of options or variables, after a prefix: `http.timeout`, `http-timeout`, `httpTimeout` or
        /// `HTTP_TIMEOUT`. The first of these counts.
        case spelling(prefix: String)
    }

    /// The values in a file.
    package struct Contents: Sendable {
        let members: [String: FileValue]
        /// The file, for values whose place is an offset.
        let file: FileBytes?

        package init(_ members: [String: FileValue]) { self.init(members, in: nil) }

        init(_ members: [String: FileValue], in file: FileBytes?) { (self.members, self.file) = (members, file) }
    }

    private let matching: Matching
    private let parse: @Sendable (Data) throws -> Contents

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - matching: The relation of the names to those of settings.
    ///   - read: Returns the entries in the bytes of a file. Of several entries with a name, the last one counts. It is called when the
    ///     layers are made, and after changes in the background. An error means that the file cannot be read now; throw
    ///     ``SettingsFileProblem`` for a message with the place.
    public init(matching: Matching = .exact, read: @escaping @Sendable (Data) throws -> [Entry]) {
        self.init(matching: matching) { data in
            let members = try read(data).map { entry in
                let position = entry.line.map { TextPosition(line: $0, column: entry.column) }
                // All values have one form, so that an earlier one can take the place of a rejected one.
                let json =
                    switch entry.value {
                    case .text(let text): JSONValue.quoted(text)
                    case .json(let text): text
                    }
                let value = try FileBytes(Data(json.utf8)).readJSON(at: position) { reader throws(JSONReader.Problem) in
                    reader.scanner.skipSpace()
                    return try FileValue(from: &reader, place: .position(position))
                }
                return (entry.name, value)
            }
            return Contents(Dictionary(members) { $1 })
        }
    }

    package init(matching: Matching, parse: @escaping @Sendable (Data) throws -> Contents) {
        (self.matching, self.parse) = (matching, parse)
    }

    /// JSON, as people write it: with comments, and a comma before a closing bracket. The suffix is `json`.
    ///
    /// The outermost value is an object with the names of settings, as the command `export` writes it, or with nested objects:
    /// `{"http": {"timeout": 30}}` has the value of `http.timeout`. An array or an object can be the value of one setting.
    /// Numbers are exact. Of repeated members, the last one counts.
    public static let json = SettingsFileFormat(matching: .exact) { data in
        let file = try FileBytes(data)
        let object = try file.readJSON { reader throws(JSONReader.Problem) in
            reader.scanner.skipSpace()
            let isObject = reader.scanner.isAtEnd || reader.scanner.next == UInt8(ascii: "{")
            guard isObject else { throw reader.problem("The text is not an object in JSON") }
            return try FileValue(from: &reader)
        }
        return Contents(object.members ?? [:], in: file)
    }

    /// Variables, one on each line: `PLAYER_PORT=8080`. The suffix is `env`; `.env` and `.env.local` are such files, too.
    ///
    /// A value may be in single or double quotation marks, with escapes in the latter. Lines may begin with `export`. A `#` at
    /// the beginning of a line or after white space begins a comment. Nothing is substituted.
    ///
    /// - Parameter prefix: The prefix of the program's variables. Others are ignored.
    public static func environment(prefix: String = "") -> SettingsFileFormat {
        SettingsFileFormat(matching: .spelling(prefix: prefix)) { data in
            let (variables, file) = try VariableFile.read(data)
            let members = variables.map { name, text, offset in
                var value = FileValue(form: .text, Data(text.utf8))
                value.place = .offset(offset)
                return (name, value)
            }
            return Contents(Dictionary(members) { $1 }, in: file)
        }
    }

    /// Returns the suffix of a file's name in lower case, which is `env` for every file `.env.*`; nil for none. A point at the
    /// beginning of any other name only hides the file.
    package static func suffix(ofFile path: String) -> String? {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let parts = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        if parts.starts(with: ["", "env"]) { return "env" }
        return parts.count > (name.hasPrefix(".") ? 2 : 1) ? parts.last.map { String($0) } : nil
    }

    /// Reads the bytes of a file.
    ///
    /// - Parameters:
    ///   - path: The path, for messages.
    ///   - findings: What was noticed when the file was read.
    package func text(of data: Data, path: String, findings: [LayerTextFinding] = []) throws -> FileText {
        FileText(try contents(of: data), matching: matching, path: path, findings: findings)
    }
    func contents(of data: Data) throws -> Contents { try parse(data) }
}

/// The reason why a file of settings cannot be read.
///
/// A format throws it. The reason must not contain a value, because it appears in messages.
public struct SettingsFileProblem: Error, Hashable, Sendable {
    /// A sentence without a period, such as "A comma is missing".
    public var reason: String
    /// The line, from 1; nil if the problem concerns the whole file.
    public var line: Int?
    /// The column in the line, from 1, in Unicode scalars; nil if it is unknown.
    public var column: Int?

    /// Creates a problem.
    public init(_ reason: String, line: Int? = nil, column: Int? = nil) {
        (self.reason, self.line, self.column) = (reason, line, column)
    }

    init(_ reason: String, at position: TextPosition?) {
        self.init(reason, line: position?.line, column: position?.column)
    }
}

extension SettingsFileProblem: CustomStringConvertible, ValueFreeError {
    /// The reason with its place: "A comma is missing (line 3, column 9)."
    public var description: String {
        guard let line else { return reason + "." }
        return "\(reason) (\(TextPosition(line: line, column: column)))."
    }
}
