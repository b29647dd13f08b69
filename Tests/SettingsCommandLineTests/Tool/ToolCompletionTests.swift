import Foundation
import SettingsCommandLine
import SettingsKit
import SettingsTestSupport
import Testing

@testable import settings

@Suite("Completions of the tool", .ownThreads)
struct ToolCompletionTests {
    /// What can stand in the place of the last word.
    private func candidates(_ words: String...) -> [String] {
        let result = ToolBench.run(["complete", "--"] + words)
        #expect(result.code == 0 && result.errors.isEmpty)
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test("Subcommands, options and names are completed")
    func words() throws {
        try withTemporaryDirectory { directory in
            let path = StoreKind.file.file(in: directory)
            for name in ["volume", "animals:cats:lion", "with space", "a\nb"] {
                #expect(ToolBench.run(["set", path, name, "1"]).code == 0)
            }
            #expect(candidates("").contains("list") && !candidates("").contains("complete"))
            #expect(candidates("l") == ["list"] && candidates("help", "ge") == ["get"])
            #expect(candidates("get", "--j") == ["--json"] && candidates("nothing", "").isEmpty)
            #expect(candidates("get", path, "--x").isEmpty)
            #expect(candidates("get", path, "") == ["animals:cats:lion", "volume", "with space"])
            #expect(candidates("get", "--json", path, "an") == ["animals:cats:lion"])
            #expect(candidates("get", "v").isEmpty)
            #expect(candidates("get", "\(directory)/missing", "").isEmpty && candidates("get", "").isEmpty)
            #expect(candidates("get", path, "volume", "").isEmpty)
            #expect(candidates("delete", path, "volume", "w") == ["with space"])
            #expect(candidates("completions", "") == ["bash", "fish", "zsh"])
        }
    }

    /// What bash completes at the end of a line.
    private static func completed(_ line: String, in directory: String) throws -> [String] {
        let script = """
            source <(settings completions bash) || exit 9
            complete -p settings >/dev/null || exit 8
            COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(); COMP_CWORD=0
            _settings
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try ToolProcess.bash(script, in: directory)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test("bash completes with the script", .enabled(if: ToolProcess.isInstalled("bash"), "bash is not installed"))
    func bash() throws {
        try withTemporaryDirectory { directory in
            let path = StoreKind.file.file(in: directory)
            for name in ["volume", "voice", "animals:cats:lion", "animals:dogs"] {
                #expect(ToolBench.run(["set", path, name, "1"]).code == 0)
            }
            // bash has the part up to the colon already.
            for (line, expected) in [
                ("settings del", ["delete"]), ("settings get \(path) vo", ["voice", "volume"]),
                ("settings get \(path) animals:c", ["cats:lion"]), ("settings list --js", ["--json"]),
                ("settings get nothing-like-this", []),
            ] {
                let completed = try Self.completed(line, in: directory)
                #expect(completed == expected)
            }
        }
    }

    @Test(
        "zsh reads the script and completes with it",
        .enabled(if: ToolProcess.isInstalled("zsh"), "zsh is not installed"))
    func zsh() throws {
        try withTemporaryDirectory { directory in
            let script = """
                compadd() { print -l -- ${(P)2} }
                compdef() { }
                _files() { print files }
                source <(settings completions zsh)
                words=(settings del); CURRENT=2; _settings
                words=(settings get missing x); CURRENT=4; _settings
                """
            let result = try ToolProcess.bash(script, in: directory, shell: "zsh")
            #expect(result.code == 0 && result.output == "delete\nfiles\n", "\(result)")
        }
    }

    @Test("fish completes with the script", .enabled(if: ToolProcess.isInstalled("fish"), "fish is not installed"))
    func fish() throws {
        try withTemporaryDirectory { directory in
            let result = try ToolProcess.bash(
                "settings completions fish | source; complete -C 'settings del'", in: directory, shell: "fish")
            #expect(result.code == 0 && result.output.split(separator: "\n").contains("delete"), "\(result)")
        }
    }
}
