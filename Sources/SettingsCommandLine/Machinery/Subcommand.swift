/// A subcommand of a program: its name, its arguments, its help, and its action.
package struct Subcommand<Program: CommandProgram>: Sendable {
    package typealias Action = @Sendable (Program, Invocation, CommandStreams) throws -> SettingsCommand.ExitCode

    /// The name in the command line and in messages.
    package let name: String
    /// Other names.
    package var aliases: [String] = []
    /// The operands, for the line of usage.
    package var operands = ""
    /// The permitted numbers of operands.
    package var operandCount = 0...0
    /// The operands before the others that name stores, for the line of usage: `STORE`.
    package var stores: [String] = []
    /// The options, apart from `--help`.
    package var options: [CommandOption] = []
    /// The action, in a few words.
    package let summary: String
    /// The rest of the help.
    package var discussion = ""
    package let action: Action

    package init(
        name: String, aliases: [String] = [], operands: String = "", operandCount: ClosedRange<Int> = 0...0,
        stores: [String] = Program.stores, options: [CommandOption] = [], summary: String, discussion: String = "",
        action: @escaping Action
    ) {
        self.name = name
        self.aliases = aliases
        self.operands = operands
        self.operandCount = operandCount
        self.options = options
        self.stores = stores
        self.summary = summary
        self.discussion = discussion
        self.action = action
    }

    /// All options, with `--help`.
    package var allOptions: [CommandOption] { options + [.help] }

    package func isCalled(_ name: String) -> Bool { name == self.name || aliases.contains(name) }
}
