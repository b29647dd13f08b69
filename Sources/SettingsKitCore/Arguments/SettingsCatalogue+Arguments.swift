extension SettingsCatalogue {
    /// Parses the arguments of a program that accepts the catalogue's settings as options, and refuses other options.
    ///
    /// ```swift
    /// let invocation = try catalogue.parse(CommandLine.arguments.dropFirst(), flags: ["version"])
    /// if invocation.isHelpRequested { print(catalogue.help(environmentPrefix: "PLAYER_")) }
    /// ```
    ///
    /// - An option is spelled as in ``LayeredStore/Layer/arguments(_:)-([String])``: `--launch-count 3`, `--launch-count=3`, `--muted`,
    ///   `--no-muted`, `--muted false`. If an option that is no list is repeated, the last one counts.
    /// - The argument after an option that is no Boolean is its value, unless it begins with two hyphens.
    /// - All other arguments are positionals, also a single hyphen, numbers such as `-5`, and everything after `--`.
    /// - Values are checked by the setting's type and validation.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the name of the program.
    ///   - flags: The program's own options, without hyphens. They have no value.
    /// - Throws: ``SettingsError`` with the code `invalidArguments`. Its description has all problems, each in a line, with the name that
    ///   was probably meant, and the usage.
    public func parse(
        _ arguments: some Sequence<String>, flags: Set<String> = []
    ) throws(SettingsError) -> SettingsInvocation {
        var parser = ArgumentParser(self, flags: flags)
        parser.read(Array(arguments))
        if parser.invocation.isHelpRequested || parser.problems.isEmpty { return parser.invocation }
        let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
        throw SettingsError(
            .invalidArguments,
            underlying: ArgumentProblems(problems: parser.problems, usage: usage(of: program ?? title, flags)))
    }

    /// "usage: player [--volume <number>] [--muted | --no-muted] [--help]", in 80 columns.
    private func usage(of program: String, _ flags: Set<String>) -> String {
        let options = settings.map { Self.option($0).replacing(", ", with: " | ") }
        let parts = (options + flags.sorted().map { "--\($0)" } + ["--help"]).map { "[\(TextLayout.escaped($0))]" }
        let start = "usage: \(TextLayout.escaped(program))"
        var lines = [start]
        for part in parts {
            let line = "\(lines[lines.endIndex - 1]) \(part)"
            if TextLayout.columns(line) <= TextLayout.width {
                lines[lines.endIndex - 1] = line
            } else {
                lines.append("           \(part)")
            }
        }
        return lines.joined(separator: "\n")
    }
}

/// Assigns arguments to a catalogue's settings.
private struct ArgumentParser {
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
                invocation.options.append("--\(name)")
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
            invocation.options.append("--\(name)=\(value)")
        } else if setting.catalogued.isFlag {
            let isValue = rest.first == "true" || rest.first == "false"
            invocation.options.append("--\(name)" + (isValue ? rest.popFirst().map { "=\($0)" } ?? "" : ""))
        } else if let next = rest.first, !next.hasPrefix("--") {
            rest.removeFirst()
            invocation.options.append("--\(name)=\(next)")
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
        let text = ArgumentText(invocation.options)
        for setting in settings {
            guard let candidate = text.candidate(for: setting.key.name),
                candidate.concerns(isFlag: setting.catalogued.isFlag),
                let problem = setting.catalogued.problem(with: candidate)
            else { continue }
            let cause = problem.underlying.map { " \(SettingsError.safeDescription(of: $0))" } ?? ""
            problems.append("\(shown(candidate.location ?? "")): expected \(setting.expected).\(cause)")
        }
    }

    private func shown(_ text: some StringProtocol) -> String { TextLayout.escaped(String(text)) }
}
