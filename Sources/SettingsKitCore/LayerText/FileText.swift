#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value in a file of settings, with the values in it if it is an object.
package struct FileValue: Sendable {
    enum Place: Sendable {
        case offset(Int)
        case position(TextPosition?)
        case path(String)
    }

    let form: SettingsStoreCandidate.Form
    var place: Place?
    /// The members of an object, which are values of settings with longer names; nil for any other value.
    let members: [String: FileValue]?
    /// Returns the bytes of the value. Those of an object are needed only if it is the value of one setting.
    private let makeData: @Sendable () -> Data

    package init(
        members: [String: FileValue]? = nil, form: SettingsStoreCandidate.Form,
        _ data: @escaping @autoclosure @Sendable () -> Data
    ) {
        (self.members, self.form, makeData) = (members, form, data)
    }

    /// Creates the value of a file that has only one.
    package init(contents: Data, path: String) {
        self.init(form: .file, contents)
        place = .path(path)
    }

    package var data: Data { makeData() }
}

/// The values in a file of settings, or in a directory with a file for each setting.
package struct FileText: LayerText {
    private let contents: SettingsFileFormat.Contents
    private let matching: SettingsFileFormat.Matching
    /// The path, for messages.
    private let path: String
    /// What was noticed when the files were read.
    private let earlierFindings: [LayerTextFinding]

    package init(
        _ contents: SettingsFileFormat.Contents, matching: SettingsFileFormat.Matching, path: String,
        findings: [LayerTextFinding] = []
    ) {
        (self.contents, self.matching, self.path, earlierFindings) = (contents, matching, path, findings)
    }

    private var members: [String: FileValue] { contents.members }

    package var isEmpty: Bool { members.isEmpty }

    package func candidate(for name: SpelledName) -> SettingsStoreCandidate? {
        guard let value = value(for: name) else { return nil }
        return SettingsStoreCandidate(value.data, form: value.form, location: location(of: value))
    }

    private func location(of value: FileValue) -> String {
        switch value.place {
        case nil: path
        case .path(let path): path
        case .position(let position): position.map { "\(path), \($0)" } ?? path
        case .offset(let offset): contents.file.map { "\(path), \($0.position(of: offset))" } ?? path
        }
    }

    // MARK: Names

    private func value(for name: SpelledName) -> FileValue? {
        switch matching {
        case .exact: Self.value(of: name.name[...], in: members)?.value
        case .spelling(let prefix): name.spellings.lazy.compactMap { members[prefix + $0] }.first
        }
    }

    /// Returns the value under a name, or in objects whose names are its parts: one level is a point or a colon of the name. The one
    /// with the fewest levels counts.
    private static func value(
        of name: Substring, in members: [String: FileValue], depth: Int = 0
    ) -> (value: FileValue, depth: Int)? {
        if let value = members[String(name)] { return (value, depth) }
        let values = name.indices.compactMap { index -> (value: FileValue, depth: Int)? in
            guard name[index] == "." || name[index] == ":", let inner = members[String(name[..<index])]?.members else {
                return nil
            }
            return value(of: name[name.index(after: index)...], in: inner, depth: depth + 1)
        }
        return values.min { $0.depth < $1.depth }
    }

    // MARK: Findings

    package func findings(for names: [String]) -> [LayerTextFinding] {
        let known: Set<String> =
            switch matching {
            case .exact: Set(names.map(Self.withPoints))
            case .spelling(let prefix): Set(names.flatMap { SpelledName($0).spellings.map { prefix + $0 } })
            }
        var unknown: [(name: String, value: FileValue)] = []
        var rest = members.map { (name: $0, value: $1) }
        while let (name, value) = rest.popLast() {
            // Editors use the schema, an export has a comment, and the library's names are its own.
            if ["$schema", "$comment"].contains(name) || SettingsService.StorageKey.isLibraryName(name) { continue }
            if case .spelling(let prefix) = matching {
                // The file may have variables of other programs.
                if !known.contains(name), name.hasPrefix(prefix) { unknown.append((name, value)) }
            } else if !known.contains(Self.withPoints(name)) {
                if value.members == nil { unknown.append((name, value)) }
                rest += value.members?.map { ("\(name).\($0)", $1) } ?? []
            }
        }
        // A hostile file could have names without end.
        let findings = unknown.sorted { $0.name < $1.name }.prefix(CoreLimits.fileFindings)
        return earlierFindings + findings.map { finding($0.name, location(of: $0.value), among: names) }
    }

    private static func withPoints(_ name: String) -> String { name.replacing(":", with: ".") }

    private func finding(_ name: String, _ location: String, among names: [String]) -> LayerTextFinding {
        var (similar, advice): (String?, String?) = (SimilarName.find(name, among: names), nil)
        if case .spelling(let prefix) = matching {
            similar = SimilarName.find(String(name.dropFirst(prefix.count)), among: names)
            if name == name.uppercased() {
                similar = similar.map { SettingSpelling.variable(for: $0, prefix: prefix) }
                let variables = names.map { SettingSpelling.variable(for: $0) }.filter { name.hasSuffix("_\($0)") }
                if let variable = variables.max(by: { $0.count < $1.count }) {
                    let prefix = name.dropLast(variable.count)
                    similar = nil
                    advice =
                        "If the program's variables begin with \(prefix), read the file with format: "
                        + ".environment(prefix: \"\(prefix)\")."
                }
            }
        }
        return .init(name, similarName: similar, location: location, advice: advice)
    }
}

/// The text of a file in UTF-8, with its lines.
package struct FileBytes: Sendable {
    /// The one of UTF-8.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    let bytes: [UInt8]
    /// The offset of the text: a byte order mark is no part of it.
    let start: Int
    private let lines: TextLines

    /// - Throws: A problem if the bytes are not UTF-8.
    package init(_ data: Data) throws(SettingsFileProblem) {
        bytes = Array(data)
        start = data.starts(with: Self.byteOrderMark) ? 3 : 0
        lines = TextLines(bytes, from: start)
        if String(validating: bytes, as: UTF8.self) != nil { return }
        let repaired = String(decoding: bytes, as: UTF8.self).utf8
        let offset = zip(bytes, repaired).enumerated().first { $1.0 != $1.1 }?.offset
        throw SettingsFileProblem("The text is not in UTF-8", at: position(of: offset ?? bytes.count))
    }

    /// Returns the place of a byte. Linear in the length of its line.
    func position(of offset: Int) -> TextPosition { lines.position(of: offset, in: bytes) }

    /// Reads the text as JSON, as people write it: with line breaks, comments, and a comma before a closing bracket.
    ///
    /// - Parameter position: The place of the text in another file; nil if it is the file.
    package func readJSON<Value>(
        at position: TextPosition? = nil, _ read: (inout JSONReader) throws(JSONReader.Problem) -> Value
    ) throws(SettingsFileProblem) -> Value {
        let result = bytes.withUnsafeBufferPointer { bytes -> Result<Value, JSONReader.Problem> in
            var reader = JSONReader(scanner: JSONScanner(bytes, start..<bytes.count, layout: .file))
            do throws(JSONReader.Problem) {
                return .success(try reader.readAll(read))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let value): return value
        case .failure(let problem):
            throw SettingsFileProblem(problem.reason, at: position ?? self.position(of: problem.offset))
        }
    }
}

extension FileValue {
    /// Reads a value in JSON. The values in an object have places of their own, unless all of them have one.
    init(
        from reader: inout JSONReader, at offset: Int = 0, place: Place? = nil
    ) throws(JSONReader.Problem) {
        if reader.scanner.next == UInt8(ascii: "{") {
            var members: [(name: String, value: FileValue)] = []
            while let name = try reader.readName(isFirst: members.isEmpty) {
                let offset = reader.scanner.position
                members.append((name, try FileValue(from: &reader, at: offset, place: place)))
            }
            let last = JSONReader.last(of: members)
            self.init(members: Dictionary(last.map { ($0.name, $0.value) }) { $1 }, form: .json, Self.json(last))
        } else {
            let value = try reader.readValue()
            self.init(form: .json, Data(value.compact.utf8))
        }
        self.place = place ?? .offset(offset)
    }

    private static func json(_ members: [(name: String, value: FileValue)]) -> Data {
        var text = Data("{".utf8)
        for (index, (name, value)) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: "\(JSONValue.quoted(name)):".utf8)
            text.append(value.data)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }
}
