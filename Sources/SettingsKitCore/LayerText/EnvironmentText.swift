#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The environment variables whose names begin with a prefix.
struct EnvironmentText: LayerText {
    let prefix: String
    private let variables: [String: String]

    init(_ environment: [String: String], prefix: String) {
        self.prefix = prefix
        variables = environment.filter { $0.key.hasPrefix(prefix) }
    }

    var isEmpty: Bool { variables.isEmpty }

    func candidate(for name: SpelledName) -> SettingsStoreCandidate? {
        let variable = prefix + name.variable
        guard let text = variables[variable] else { return nil }
        return SettingsStoreCandidate(Data(text.utf8), form: .text, location: variable)
    }

    /// Returns the variables that no setting has. Without a prefix there are none, because the variables belong to all programs.
    func findings(for names: [String]) -> [LayerTextFinding] {
        if prefix.isEmpty { return [] }
        // Without the prefix, which would make all names similar.
        let known = names.map { SettingSpelling.variable(for: $0) }
        let present = Set(variables.keys.map { String($0.dropFirst(prefix.count)) })
        return present.subtracting(known).sorted().map { name in
            let similar = SimilarName.find(name, among: known).map { prefix + $0 }
            return LayerTextFinding(.unknownVariable, name: prefix + name, similarName: similar)
        }
    }
}
