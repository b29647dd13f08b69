/// An option of a subcommand. Its name is its identity.
struct CommandOption: Equatable, Sendable {
    /// What shells can complete in the place of an option's value.
    enum Values: Sendable {
        case nothing, files, directories
    }

    /// The name with its hyphens: `--json`.
    let name: String
    /// What help calls the value, such as `NUMBER`; nil for an option without a value.
    let value: String?
    let summary: String
    let values: Values

    init(_ name: String, value: String? = nil, values: Values = .nothing, _ summary: String) {
        self.name = name
        self.value = value
        self.summary = summary
        self.values = values
    }

    var usage: String { value.map { "\(name) \($0)" } ?? name }

    static func == (one: CommandOption, other: CommandOption) -> Bool { one.name == other.name }
}

extension CommandOption {
    static let help = CommandOption("--help", "Show this help.")
    static let json = CommandOption("--json", "Print JSON.")
    static let secrets = CommandOption("--secrets", "Show the values of secret settings, too.")
    static let all = CommandOption("--all", "Remove the values of all settings.")
    static let effective = CommandOption(
        "--effective", "Export the values in force, whatever layer they come from, and say so in the output.")
    static let dryRun = CommandOption("--dry-run", "Show what would change, and change nothing.")
    static let count = CommandOption("--count", value: "NUMBER", "End after this number of changes.")
}

/// Options that belong together, with a title in the help: those that name a store, for example.
struct CommandOptionGroup: Sendable {
    let title: String
    /// What stands for the group in the line of usage, such as `STORE`.
    let placeholder: String
    let options: [CommandOption]
}
