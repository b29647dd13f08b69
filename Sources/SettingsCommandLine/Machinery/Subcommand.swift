/// A subcommand of a program: what it is called, what it takes, what its help says, and what it does.
struct Subcommand<Program: CommandProgram>: Sendable {
    typealias Action = @Sendable (Program, Invocation, CommandStreams) throws -> SettingsCommand.ExitCode

    /// The name, and in messages.
    let name: String
    /// Other names.
    var aliases: [String] = []
    /// The operands, for the line of usage.
    var operands = ""
    /// How many operands there can be.
    var operandCount = 0...0
    /// The options, apart from `--help` and those of the groups.
    var options: [CommandOption] = []
    var groups: [CommandOptionGroup] = []
    /// What shells complete in the place of an operand.
    var completes = CompletedOperand.nothing
    /// Whether help lists it. Scripts call those that are not listed.
    var isListed = true
    /// What it does, in a few words.
    let summary: String
    /// The rest of the help.
    var discussion = ""
    let action: Action

    /// All options, with `--help`.
    var allOptions: [CommandOption] { options + groups.flatMap(\.options) + [.help] }

    func isCalled(_ name: String) -> Bool { name == self.name || aliases.contains(name) }
}

/// What shells complete in the place of an operand.
enum CompletedOperand: Sendable {
    case nothing
    /// The names of settings; the first operand alone, or each.
    case name, names
    /// The name of a setting, then a value.
    case nameAndValue
    case files
    /// One of these words.
    case words([String])
}
