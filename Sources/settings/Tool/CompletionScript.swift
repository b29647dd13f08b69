import SettingsCommandLine

/// The shell scripts that complete subcommands and their options. The shells complete paths.
enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    /// - Parameter command: The name of the tool.
    func text(command: String, _ subcommands: [Subcommand<SettingsTool>]) -> String {
        let names = subcommands.map(\.name).joined(separator: " ")
        /// The options of each subcommand in a branch of `case`.
        func branches(_ action: (String) -> String) -> String {
            subcommands.map { subcommand in
                let options = subcommand.allOptions.map(\.name).joined(separator: " ")
                return
                    "            \(([subcommand.name] + subcommand.aliases).joined(separator: "|"))) \(action(options)) ;;"
            }.joined(separator: "\n")
        }
        switch self {
        case .bash:
            return """
                # bash completion for \(command). Use: source <(\(command) completions bash)
                _\(command)() {
                    local current=${COMP_WORDS[COMP_CWORD]} words=
                    if [[ $COMP_CWORD == 1 ]]; then
                        words="\(names) help"
                    elif [[ $current == -* ]]; then
                        case ${COMP_WORDS[1]} in
                \(branches { "words=\"\($0)\"" })
                        esac
                    fi
                    COMPREPLY=($(compgen -W "$words" -- "$current"))
                }
                complete -o default -F _\(command) \(command)

                """
        case .zsh:
            return """
                #compdef \(command)
                # zsh completion for \(command). Use: source <(\(command) completions zsh)
                _\(command)() {
                    if (( CURRENT == 2 )); then
                        compadd -- \(names) help
                    elif [[ $words[CURRENT] == -* ]]; then
                        case $words[2] in
                \(branches { "compadd -- \($0)" })
                        esac
                    else
                        _files
                    fi
                }
                if [[ $funcstack[1] == _\(command) ]]; then _\(command) "$@"; else compdef _\(command) \(command); fi

                """
        case .fish:
            let options = subcommands.flatMap { subcommand in
                subcommand.allOptions.map {
                    "complete -c \(command) -n '__fish_seen_subcommand_from \(subcommand.name)' -l \($0.name.dropFirst(2))"
                }
            }
            return """
                # fish completion for \(command). Use: \(command) completions fish | source
                complete -c \(command) -n __fish_use_subcommand -f -a '\(names) help'
                \(options.joined(separator: "\n"))

                """
        }
    }
}
