import SettingsCommandLine

/// The shell scripts that complete the tool's arguments, by running its subcommand `complete`.
enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    /// - Parameter command: The name of the tool.
    func text(command: String) -> String {
        let call = "\(command) complete --"
        switch self {
        case .bash:
            return """
                # bash completion for \(command). Use: source <(\(command) completions bash)
                _\(command)() {
                    local words current prefix candidate
                    # bash splits words at colons, which names may contain: split the line again.
                    read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
                    [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
                    current=${words[${#words[@]}-1]}
                    # What stands before the last colon or equals sign is a word of its own to bash.
                    prefix=${current%"${current##*[:=]}"}
                    COMPREPLY=()
                    while IFS= read -r candidate; do
                        COMPREPLY+=("$(printf %q "${candidate#"$prefix"}")")
                    done < <(\(call) "${words[@]:1}" 2>/dev/null)
                }
                complete -o default -F _\(command) \(command)

                """
        case .zsh:
            return """
                #compdef \(command)
                # zsh completion for \(command). Use: source <(\(command) completions zsh)
                _\(command)() {
                    local -a candidates
                    candidates=("${(@f)$(\(call) "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
                    if [[ -n ${candidates[1]} ]]; then
                        compadd -a candidates
                    else
                        _files
                    fi
                }
                if [[ $funcstack[1] == _\(command) ]]; then _\(command) "$@"; else compdef _\(command) \(command); fi

                """
        case .fish:
            return """
                # fish completion for \(command). Use: \(command) completions fish | source
                complete -c \(command) -a '(\(call) (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'

                """
        }
    }
}
