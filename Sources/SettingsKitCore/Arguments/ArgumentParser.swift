/// Assigns arguments to a catalogue's settings.
struct ArgumentParser {
    private let settings: [SettingsService.SettingDefinition]
    /// The settings by the spellings of their options.
    private let spellings: [String: SettingsService.SettingDefinition]
    private let flags: Set<String>
    private(set) var invocation = SettingsInvocation()
    private(set) var problems: [String] = []

    init(_ catalogue: SettingsCatalogue, flags: Set<String>) {
        settings = catalogue.settings
        spellings = Dictionary(
            settings.flatMap { setting in SettingSpelling.options(for: setting.key.name).map { ($0, setting) } },
            uniquingKeysWith: { first, _ in first })
        self.flags = flags
    }

    mutating func read(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                invocation.positionals += rest
                break
            } else if argument.hasPrefix("--") {
                readOption(argument.dropFirst(2), &rest)
            } else if argument == "-h" {
                invocation.isHelpRequested = true
            } else if argument.hasPrefix("-"), argument.count > 1, !isNumber(argument) {
                // What follows the letter may be a value.
                problems.append("\(shown(argument.prefix(2))) is no option; options begin with two hyphens.")
            } else {
                invocation.positionals.append(argument)
            }
        }
        checkValues()
    }

    private func isNumber(_ argument: String) -> Bool {
        argument.dropFirst().first.map { $0.isNumber || $0 == "." } ?? false
    }

    private mutating func readOption(_ option: Substring, _ rest: inout ArraySlice<String>) {
        let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        let value = parts.count == 2 ? String(parts[1]) : nil
        if let setting = spellings[name] {
            return readOption(name, value, of: setting, &rest)
        }
        let negated = name.hasPrefix("no-") ? spellings[String(name.dropFirst(3))] : nil
        let isNegation = negated?.catalogued.isFlag == true
        if flags.contains(name) || name == "help" || isNegation {
            if value != nil {
                problems.append("\(shown("--\(name)")) takes no value.")
            } else if isNegation {
                invocation.options.add(name, value: nil)
            } else if flags.contains(name) {
                invocation.flags.insert(name)
            } else {
                invocation.isHelpRequested = true
            }
        } else if negated != nil {
            problems.append("\(shown("--\(name)")) is no option: its setting is not true or false.")
        } else {
            problems.append(unknown(name))
        }
    }

    private mutating func readOption(
        _ name: String, _ value: String?, of setting: SettingsService.SettingDefinition,
        _ rest: inout ArraySlice<String>
    ) {
        if let value {
            invocation.options.add(name, value: value)
        } else if setting.catalogued.isFlag {
            if let word = rest.first, Bool.value(word) != nil, !ArgumentText.isFlagValue(word) {
                problems.append(
                    "\(shown("--\(name)")) is followed by a word for true or false: write \(shown("--\(name)=true")), "
                        + "\(shown("--\(name)=false")) or \(shown("--no-\(name)")), and arguments that are no options before "
                        + "it or after --.")
            }
            invocation.options.add(name, value: ArgumentText.isFlagValue(rest.first) ? rest.popFirst() : nil)
        } else if let next = rest.first, !next.hasPrefix("--") {
            rest.removeFirst()
            invocation.options.add(name, value: next)
        } else {
            problems.append("\(shown("--\(name)")) needs a value: \(setting.expected).")
        }
    }

    private func unknown(_ name: String) -> String {
        let usual = settings.compactMap { SettingSpelling.options(for: $0.key.name).first }
        let negations = settings.filter(\.catalogued.isFlag).compactMap { setting in
            SettingSpelling.options(for: setting.key.name).first.map { "no-\($0)" }
        }
        let similar = SimilarName.find(name, among: usual + negations + flags.sorted() + ["help"])
        return "\(shown("--\(name)")) is no option."
            + (similar.map { " Did you mean --\(TextLayout.escaped($0))?" } ?? "")
    }

    /// Checks the values as a layer with the options will read them.
    private mutating func checkValues() {
        for setting in settings {
            guard let candidate = invocation.options.candidate(for: SpelledName(setting.key.name)),
                candidate.concerns(isFlag: setting.catalogued.isFlag),
                let problem = setting.catalogued.problem(with: candidate)
            else { continue }
            let cause = problem.underlying.map { " \(SettingsError.safeDescription(of: $0))" } ?? ""
            problems.append("\(shown(candidate.location ?? "")): expected \(setting.expected).\(cause)")
        }
    }

    private func shown(_ text: some StringProtocol) -> String { TextLayout.escaped(String(text)) }
}

/// The problems of a program's arguments, for the person who has typed them. Values never appear.
struct ArgumentProblems: ValueFreeError {
    /// A sentence for each problem.
    let problems: [String]
    let usage: String

    /// The problems, each in a line, and the usage.
    var description: String { (problems + [usage]).joined(separator: "\n") }
}
