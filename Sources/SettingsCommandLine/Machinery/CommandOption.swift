/// An option of a subcommand. Its name is its identity.
package struct CommandOption: Equatable, Sendable {
    /// The name with its hyphens: `--json`.
    package let name: String
    /// The name of the value in help, such as `NUMBER`; nil for an option without a value.
    package let value: String?
    package let summary: String

    package init(_ name: String, value: String? = nil, _ summary: String) {
        self.name = name
        self.value = value
        self.summary = summary
    }

    package var usage: String { value.map { "\(name) \($0)" } ?? name }

    package static func == (one: CommandOption, other: CommandOption) -> Bool { one.name == other.name }
}

extension CommandOption {
    package static let help = CommandOption("--help", "Show this help.")
    package static let json = CommandOption("--json", "Print JSON.")
    package static let secrets = CommandOption("--secrets", "Show the values of secret settings, too.")
    package static let all = CommandOption("--all", "Remove the values of all settings.")
    package static let dryRun = CommandOption("--dry-run", "Show what would change, and change nothing.")
    package static let count = CommandOption("--count", value: "NUMBER", "End after this number of changes.")
}
