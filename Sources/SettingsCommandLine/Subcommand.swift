import SettingsKit

/// A subcommand: what it is called, what it takes, and what its help says.
enum Subcommand: String, CaseIterable {
    case list, get, set, reset, watch, export, `import`, check, explain

    /// The operands, for the usage line.
    var operands: String {
        switch self {
        case .list, .check, .export: ""
        case .get, .explain: "NAME"
        case .set: "NAME TEXT"
        case .reset: "NAME... | --all"
        case .watch: "[NAME...]"
        case .import: "FILE | -"
        }
    }

    /// How many operands there can be.
    var operandCount: ClosedRange<Int> {
        switch self {
        case .list, .check, .export: 0...0
        case .get, .explain, .import: 1...1
        case .set: 2...2
        case .reset, .watch: 0...Int.max
        }
    }

    var options: [CommandOption] {
        switch self {
        case .list, .check, .explain: [.json]
        case .get: [.json, .secrets]
        case .set: []
        case .reset: [.all]
        case .watch: [.json, .count]
        case .export: [.effective, .secrets]
        case .import: [.dryRun]
        }
    }

    /// What it does, in a few words.
    var summary: String {
        switch self {
        case .list: "Show all settings with their values and sources."
        case .get: "Print the value of a setting."
        case .set: "Store a value."
        case .reset: "Remove stored values, so that the next layer or the default counts."
        case .watch: "Print changes as they are made."
        case .export: "Print the stored values as JSON."
        case .import: "Store the values of a JSON file: all of them, or none."
        case .check: "Report all problems at once."
        case .explain: "Show what each layer has for a setting, and which one counts."
        }
    }

    /// The rest of the help.
    var discussion: String {
        switch self {
        case .list: "A value that is locked by a layer cannot be changed."
        case .get:
            "Control characters other than tabs and line breaks appear as escapes. With --json, the value is exact."
        case .set:
            "The type of the setting says what the text means. Arrays and structures are JSON. If the text begins with two "
                + "hyphens, write -- before it."
        case .reset: "If one of the settings is locked, nothing is removed."
        case .watch:
            "It ends when it is interrupted, or when its output is closed. Without names, it watches all settings."
        case .export:
            "Only what the store itself holds is exported, in a form that import reads: no arguments, no variables, no "
                + "values of other layers, no defaults. Secrets are left out."
        case .import: "Settings that the file does not name keep their values. The member $comment is ignored."
        case .check:
            "The exit code is 3 if there are problems: invalid values, unknown names, stores that cannot be read."
        case .explain: "The layers are in the order of their precedence."
        }
    }
}

/// An option of a subcommand.
enum CommandOption: String, CaseIterable {
    case help = "--help"
    case json = "--json"
    case secrets = "--secrets"
    case all = "--all"
    case effective = "--effective"
    case dryRun = "--dry-run"
    case count = "--count"

    var takesValue: Bool { self == .count }

    var usage: String { takesValue ? "\(rawValue) NUMBER" : rawValue }

    var summary: String {
        switch self {
        case .help: "Show this help."
        case .json: "Print JSON."
        case .secrets: "Show the values of secret settings, too."
        case .all: "Remove the values of all settings."
        case .effective: "Export the values in force, whatever layer they come from, and say so in the output."
        case .dryRun: "Show what would change, and change nothing."
        case .count: "End after this number of changes."
        }
    }
}

extension SettingsCommand {
    /// The help that lists the subcommands.
    func help() -> String {
        var text = "\(catalogue.title): settings\n\nUsage: \(name) SUBCOMMAND ...\n\n"
        text += Self.described(Subcommand.allCases.map { ($0.rawValue, $0.summary) })
        text += "\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 problems found by check.\n"
        text += "\(name) SUBCOMMAND --help has more about a subcommand.\n"
        return text
    }

    /// The help for one subcommand.
    func help(for subcommand: Subcommand) -> String {
        let options = subcommand.options + [.help]
        let optional = subcommand.options.filter { $0 != .all }.map { "[\($0.usage)]" }
        let usage = [name, subcommand.rawValue, subcommand.operands] + optional
        var text = "Usage: " + usage.filter { !$0.isEmpty }.joined(separator: " ") + "\n\n"
        for line in TextLayout.wrapped(subcommand.summary + " " + subcommand.discussion, to: TextLayout.width) {
            text += line + "\n"
        }
        return text + "\n" + Self.described(options.map { ($0.usage, $0.summary) })
    }

    /// Terms with their descriptions, in two columns.
    private static func described(_ terms: [(String, String)]) -> String {
        let indentation = 4 + (terms.map { TextLayout.columns($0.0) }.max() ?? 0)
        var text = ""
        for (term, description) in terms {
            var first = TextLayout.padded("  \(term)", to: indentation)
            for line in TextLayout.wrapped(description, to: TextLayout.width - indentation) {
                text += first + line + "\n"
                first = String(repeating: " ", count: indentation)
            }
        }
        return text
    }
}
