import SettingsCommandLine

extension Subcommand where Program == SettingsTool {
    static var completions: Self {
        Self(
            name: "completions", operands: "bash | zsh | fish", operandCount: 1...1, stores: [],
            summary: "Print a script that completes arguments in a shell.",
            discussion: "It completes subcommands, options and paths. For bash: source <(settings completions bash)"
        ) { tool, invocation, streams in
            let shell = invocation.operands[0]
            guard let script = CompletionScript(rawValue: shell) else {
                throw CommandFailure.usage("There are scripts for bash, zsh and fish, not for \(quoted(shell)).")
            }
            try streams.print(script.text(command: tool.name, SettingsTool.subcommands))
            return .success
        }
    }
}
