import SettingsCommandLine
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var completions: Self {
        Self(
            name: "completions", operands: "bash | zsh | fish", operandCount: 1...1, stores: [],
            completes: .words(CompletionScript.allCases.map(\.rawValue)),
            summary: "Print a script that completes arguments in a shell.",
            discussion:
                "It completes subcommands, options and the names of settings. For bash: source <(settings completions bash)"
        ) { tool, invocation, streams in
            let shell = try invocation.text(0)
            guard let script = CompletionScript(rawValue: shell) else {
                throw CommandFailure.usage("There are scripts for bash, zsh and fish, not for \(quoted(shell)).")
            }
            try streams.print(script.text(command: tool.name))
            return .success
        }
    }

    /// What the scripts call.
    static var complete: Self {
        Self(
            name: "complete", operands: "WORD...", operandCount: 0...Int.max, stores: [], isListed: false,
            summary: "Print the completions of the last word, one a line."
        ) { tool, invocation, streams in
            let candidates = tool.candidates(for: invocation.operands.map(\.shown))
            // A name with a line break cannot be completed line by line.
            let lines = candidates.filter { TextLayout.escaped($0) == $0 && !$0.isEmpty }
            if !lines.isEmpty { try streams.print(lines.joined(separator: "\n") + "\n") }
            return .success
        }
    }
}

extension SettingsTool {
    /// The completions of the last word.
    fileprivate func candidates(for words: [String]) -> [String] {
        let current = words.last ?? ""
        guard words.count > 1 else {
            return matching(current, Self.subcommands.filter(\.isListed).map(\.name) + ["help"])
        }
        if words[0] == "help" {
            return matching(current, Self.subcommands.filter(\.isListed).map(\.name))
        }
        guard let subcommand = Self.subcommands.first(where: { $0.isCalled(words[0]) }) else { return [] }
        let before = Array(words[1..<(words.count - 1)])
        if let option = subcommand.allOptions.first(where: { $0.name == before.last }), option.value != nil {
            // The shell completes files by itself.
            return []
        }
        if current.hasPrefix("--") && !before.contains("--") {
            let given = Set(before)
            return matching(current, subcommand.allOptions.map(\.name).filter { !given.contains($0) })
        }
        return operands(of: subcommand, before, current)
    }

    private func matching(_ beginning: String, _ words: [String]) -> [String] {
        words.filter { $0.hasPrefix(beginning) }.sorted()
    }

    private func operands(
        of subcommand: Subcommand<SettingsTool>, _ before: [String], _ current: String
    ) -> [String] {
        let all = operands(in: before, of: subcommand)
        // The shell completes the paths of stores.
        guard all.count >= subcommand.stores.count else { return [] }
        let operands = all.dropFirst(subcommand.stores.count)
        switch subcommand.completes {
        case .nothing, .files: return []
        case .words(let words): return operands.isEmpty ? matching(current, words) : []
        case .name where operands.isEmpty, .names:
            let names = storedNames(before, of: subcommand)
            return Array(matching(current, names).prefix(ToolLimits.completedNames))
        case .name: return []
        }
    }

    /// The words that are neither options nor values of options.
    private func operands(in words: [String], of subcommand: Subcommand<SettingsTool>) -> [String] {
        var operands: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" { return operands + rest }
            guard word.hasPrefix("--") else {
                operands.append(word)
                continue
            }
            if subcommand.allOptions.first(where: { $0.name == word })?.value != nil { _ = rest.popFirst() }
        }
        return operands
    }

    /// The names in the store that the words name; empty if there is no such store.
    private func storedNames(_ words: [String], of subcommand: Subcommand<SettingsTool>) -> [String] {
        do {
            var lenient = subcommand
            lenient.operandCount = 0...Int.max
            let arguments = words.map { CommandArgument($0) }
            let invocation = try Invocation(lenient, arguments, commandName: name)
            return try OpenedStore(place(invocation), for: .reading).names()
        } catch {
            // No store, no completions. The subcommand reports the reason.
            return []
        }
    }
}
