import Foundation
import SettingsTestSupport
import Testing

@Suite("Completions of the tool in shells", .ownThreads)
struct ToolCompletionTests {
    /// What a shell prints that completes lines with the script.
    private func completed(_ shell: String, _ script: String) throws -> [String] {
        try withTemporaryDirectory { directory in
            let result = try ToolProcess.bash(script, in: directory, shell: shell)
            #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
            return result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        }
    }

    @Test(
        "bash completes subcommands and options, and leaves paths to itself",
        .enabled(if: ToolProcess.isInstalled("bash"), "bash is not installed"),
        arguments: [("del", ["delete"]), ("list --", ["--json", "--help"]), ("list st", [])])
    func bash(line: String, expected: [String]) throws {
        let script = """
            source <(settings completions bash) || exit 9
            complete -p settings >/dev/null || exit 8
            COMP_WORDS=(settings \(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _settings
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try completed("bash", script) == expected)
    }

    @Test(
        "zsh completes subcommands, options and paths",
        .enabled(if: ToolProcess.isInstalled("zsh"), "zsh is not installed"))
    func zsh() throws {
        let script = """
            compadd() { print -l -- "$@" }
            compdef() { }
            _files() { print files }
            source <(settings completions zsh)
            words=(settings del); CURRENT=2; _settings
            words=(settings list --j); CURRENT=3; _settings
            words=(settings get missing x); CURRENT=4; _settings
            """
        let lines = try completed("zsh", script)
        #expect(lines.contains("delete") && lines.suffix(4) == ["--", "--json", "--help", "files"], "\(lines)")
    }

    @Test(
        "fish completes subcommands and options",
        .enabled(if: ToolProcess.isInstalled("fish"), "fish is not installed"))
    func fish() throws {
        let script = "settings completions fish | source; complete -C 'settings del'; complete -C 'settings list --js'"
        #expect(try completed("fish", script) == ["delete", "--json"])
    }
}
