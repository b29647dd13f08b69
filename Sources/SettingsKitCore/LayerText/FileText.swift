#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values in a file of settings, or in a directory with a file for each setting.
package struct FileText: LayerText {
    /// The object around all values.
    private let root: FileValue
    private let matching: SettingsFileFormat.Matching
    /// The path, for messages.
    private let path: String
    /// What was noticed when the files were read.
    private let earlierFindings: [LayerTextFinding]

    package init(
        _ root: FileValue, matching: SettingsFileFormat.Matching, path: String, findings: [LayerTextFinding] = []
    ) {
        (self.root, self.matching, self.path, earlierFindings) = (root, matching, path, findings)
    }

    package var isEmpty: Bool { root.members.isEmpty }

    package func candidate(for name: SpelledName) -> SettingsStoreCandidate? {
        guard let value = values(for: name).first else { return nil }
        return SettingsStoreCandidate(value.data, form: value.form, location: location(of: value))
    }

    private func location(of value: FileValue) -> String {
        let path = value.path ?? path
        return value.position.map { "\(path), \($0)" } ?? path
    }

    // MARK: Names

    /// Returns the values of a setting. The first one counts.
    private func values(for name: SpelledName) -> [FileValue] {
        switch matching {
        case .exact:
            return Self.values(of: name.name[...], in: root, depth: 0).sorted { $0.depth < $1.depth }.map(\.value)
        case .spelling(let prefix):
            let others = (name.options + [name.variable]).filter { $0 != name.name }
            return ([name.name] + others).compactMap { root.member(prefix + $0) }
        }
    }

    /// Returns the values under a name, and in objects whose names are its parts: one level is a point or a colon of the name.
    private static func values(
        of name: Substring, in object: FileValue, depth: Int
    ) -> [(value: FileValue, depth: Int)] {
        var values = object.member(name).map { [($0, depth)] } ?? []
        for index in name.indices where name[index] == "." || name[index] == ":" {
            guard let part = object.member(name[..<index]), part.isObject else { continue }
            values += self.values(of: name[name.index(after: index)...], in: part, depth: depth + 1)
        }
        return values
    }

    // MARK: Findings

    package func findings(for names: [String]) -> [LayerTextFinding] {
        var findings = earlierFindings
        // The values that settings have, and the objects around them.
        var used: Set<ObjectIdentifier> = []
        for name in Set(names).sorted() {
            let values = values(for: SpelledName(name))
            used.formUnion(values.map { ObjectIdentifier($0) })
            for value in values.dropFirst() {
                findings.append(.init(.repeatedName, name: name, location: location(of: value)))
            }
        }
        var walk = Walk(used: used, root: root)
        // A hostile file could have names without end.
        while findings.count < CoreLimits.fileFindings, let (path, value, isCounting) = walk.next() {
            let name = path.joined(separator: ".")
            // The file may have variables of other programs.
            if case .spelling(let prefix) = matching, !name.hasPrefix(prefix) { continue }
            let location = location(of: value)
            if !isCounting {
                findings.append(.init(.repeatedName, name: name, location: location))
            } else if !value.isObject {
                findings.append(unknown(name, among: names, location: location))
            }
        }
        return findings
    }

    private func unknown(_ name: String, among names: [String], location: String) -> LayerTextFinding {
        switch matching {
        case .exact:
            return .init(
                .unknownName, name: name, similarName: SimilarName.find(name, among: names), location: location)
        case .spelling(let prefix):
            let similar = SimilarName.find(String(name.dropFirst(prefix.count)), among: names)
            let isVariable = name == name.uppercased()
            return .init(
                .unknownName, name: name,
                similarName: isVariable ? similar.map { SettingSpelling.variable(for: $0, prefix: prefix) } : similar,
                location: location)
        }
    }

    /// Visits the values that no setting has, in the order of the file. A value in an object that a setting has belongs to it.
    private struct Walk {
        private let used: Set<ObjectIdentifier>
        private var stack: [(path: [String], value: FileValue, isCounting: Bool)] = []

        init(used: Set<ObjectIdentifier>, root: FileValue) {
            self.used = used
            push(root, at: [])
        }

        mutating func next() -> (path: [String], value: FileValue, isCounting: Bool)? {
            guard let item = stack.popLast() else { return nil }
            if item.isCounting { push(item.value, at: item.path) }
            return item
        }

        private mutating func push(_ object: FileValue, at path: [String]) {
            let counting = Set(object.countingMembers.map { ObjectIdentifier($0.value) })
            for (name, value) in object.members.reversed() {
                let isCounting = counting.contains(ObjectIdentifier(value))
                // Editors use the schema, an export has a comment, and the library's names are its own.
                let isKnown =
                    path.isEmpty && (["$schema", "$comment"].contains(name) || name.hasPrefix("SettingsKit:"))
                if isKnown || isCounting && used.contains(ObjectIdentifier(value)) { continue }
                stack.append((path + [name], value, isCounting))
            }
        }
    }
}
