#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values of a layer that is no store: arguments, variables, or files that others write.
///
/// Only a setting's name leads to its value, because several spellings stand for one name. So the text has no list of names.
package protocol LayerText: Sendable {
    /// Whether no setting can have a value.
    var isEmpty: Bool { get }

    /// Returns the candidate for a setting; nil if there is none.
    func candidate(for name: SpelledName) -> SettingsStoreCandidate?

    /// Returns the entries without a meaning: those of no setting.
    ///
    /// - Parameter names: The names of all settings.
    func findings(for names: [String]) -> [LayerTextFinding]
}

extension LayerText {
    package func findings(for names: [String]) -> [LayerTextFinding] { [] }
}

/// An entry without a meaning in a layer's text: no setting has the name or the variable, or a file is not used.
package struct LayerTextFinding: Hashable, ValueFreeError {
    let isVariable: Bool
    /// The name in the text.
    package var name: String
    /// The name that was probably meant.
    package var similarName: String?
    /// The problem, without the place, which moves with each edit.
    private let problem: String
    private let advice: String
    /// The place in the text.
    fileprivate var location: String?

    /// - Parameters:
    ///   - problem: A sentence without its full stop; nil for "No setting has this name".
    ///   - advice: A sentence; nil for the similar name, or to remove the entry.
    package init(
        _ name: String, isVariable: Bool = false, similarName: String? = nil, location: String? = nil,
        problem: String? = nil, advice: String? = nil
    ) {
        (self.name, self.isVariable, self.similarName, self.location) = (name, isVariable, similarName, location)
        self.problem = problem ?? (isVariable ? "No setting reads this variable" : "No setting has this name")
        self.advice =
            advice ?? similarName.map { "Did you mean \($0)?" }
            ?? "\(isVariable ? "Unset" : "Remove") it, if nothing else uses it."
    }

    /// The message after the name, in one line.
    var message: String { "\(problem)\(location.map { " (\($0))" } ?? ""). \(advice)" }
    package var description: String { "\(name): \(message)" }
}

/// The findings that a program knows, because it has checked its settings.
struct KnownFindings: Sendable {
    /// The names of all settings; nil before the first check.
    private var names: [String]?
    /// The findings, without their places, which move with every edit.
    private var known: Set<LayerTextFinding> = []

    /// Records that the program receives the findings in the text.
    mutating func record(_ findings: [LayerTextFinding], for names: [String]) {
        (self.names, known) = (names, Set(findings.map(\.withoutPlace)))
    }

    /// Returns the findings in a text that the program does not know yet.
    mutating func new(in text: any LayerText) -> [LayerTextFinding] {
        guard let names else { return [] }
        let (findings, earlier) = (text.findings(for: names), known)
        record(findings, for: names)
        return findings.filter { !earlier.contains($0.withoutPlace) }
    }
}

extension LayerTextFinding {
    fileprivate var withoutPlace: LayerTextFinding {
        var finding = self
        finding.location = nil
        return finding
    }
}

/// Text without a value.
package struct EmptyText: LayerText {
    package init() {}

    package var isEmpty: Bool { true }

    package func candidate(for name: SpelledName) -> SettingsStoreCandidate? { nil }
}

/// The place of a layer's text that can change while the program runs.
package protocol FollowedText: Sendable {
    /// Reads the text, and reads it again after each change.
    ///
    /// - Parameter receive: Called with the first reading before this function returns, and later with those that differ, one call
    ///   after the other, with no lock held.
    /// - Returns: An object that follows the text until it is released.
    /// - Throws: The error because of which there can be no layer.
    func follow(_ receive: @escaping @Sendable (LayerTextReading) -> Void) throws(SettingsError) -> any Sendable
}

/// The result of reading a layer's text.
package enum LayerTextReading: Sendable {
    case text(any LayerText)
    /// The last text that was read stays in force.
    case failed(SettingsError)
}

/// The environment variables whose names begin with a prefix.
struct EnvironmentText: LayerText {
    let prefix: String
    private let variables: [String: String]

    init(_ environment: [String: String], prefix: String, ignoresEmpty: Bool = false) {
        self.prefix = prefix
        variables = environment.filter { $0.key.hasPrefix(prefix) && !(ignoresEmpty && $0.value.isEmpty) }
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
            return LayerTextFinding(prefix + name, isVariable: true, similarName: similar)
        }
    }
}
