import SettingsKit

/// A program with subcommands: the tool over any store, or the command of a program over its own settings.
package protocol CommandProgram: Sendable {
    associatedtype Settings: CommandSettings
    /// The name of the program in help.
    var name: String { get }
    /// The first line of the help.
    var title: String { get }
    /// The meaning of the exit code 3, in a few words.
    var findings: String { get }
    static var subcommands: [Subcommand<Self>] { get }
    /// The operands that name the settings of most subcommands: `STORE`, or none.
    static var stores: [String] { get }
    /// What such an operand may be, with descriptions.
    static var storeForms: [(String, String)] { get }
    /// Calls a function with the settings of a subcommand.
    func withSettings<R>(
        _ invocation: Invocation, _ streams: CommandStreams, for use: SettingsUse, _ body: (Settings) throws -> R
    ) throws -> R
    /// The message for an error of a store or a service.
    func message(for error: any Error) -> String
}

extension CommandProgram {
    /// Runs a subcommand and reports its failure.
    package func perform(_ arguments: [String], _ streams: CommandStreams) -> SettingsCommand.ExitCode {
        do {
            return try dispatch(arguments, streams)
        } catch is CommandStreams.Closed {
            // The reader of the output has ended, which is no failure of this program.
            return .success
        } catch let failure as CommandFailure {
            streams.report(failure.message)
            return failure.code
        } catch {
            streams.report(message(for: error))
            return .failure
        }
    }

    private func dispatch(_ arguments: [String], _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        guard let name = arguments.first else {
            streams.report(help())
            return .usage
        }
        if ["help", "--help", "-h"].contains(name) {
            guard arguments.count > 1, name == "help" else {
                try streams.print(help())
                return .success
            }
            try streams.print(help(for: try subcommand(named: arguments[1])))
            return .success
        }
        let subcommand = try subcommand(named: name)
        let invocation = try Invocation(subcommand, arguments.dropFirst(), commandName: self.name)
        if invocation.has(.help) {
            try streams.print(help(for: subcommand))
            return .success
        }
        return try subcommand.action(self, invocation, streams)
    }

    private func subcommand(named name: String) throws(CommandFailure) -> Subcommand<Self> {
        if let subcommand = Self.subcommands.first(where: { $0.isCalled(name) }) { return subcommand }
        let all = Self.subcommands.map(\.name).joined(separator: ", ")
        throw .usage("There is no subcommand \(quoted(name)). Use one of \(all); \(self.name) --help describes them.")
    }

    // MARK: Help

    /// The help that lists the subcommands.
    package func help() -> String {
        var text = "\(title)\n\nUsage: \(name) SUBCOMMAND ...\n\n"
        text += Self.described(Self.subcommands.map { ($0.name, $0.summary) })
        text += "\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 \(findings).\n"
        text += "\(name) SUBCOMMAND --help has more about a subcommand.\n"
        return text
    }

    /// The help for one subcommand.
    package func help(for subcommand: Subcommand<Self>) -> String {
        let optional = subcommand.options.filter { $0 != .all }.map { "[\($0.usage)]" }
        let usage = [name, subcommand.name] + subcommand.stores + [subcommand.operands] + optional
        let lines = TextLayout.wrapped(
            "Usage: " + usage.filter { !$0.isEmpty }.joined(separator: " "), to: TextLayout.width - 2)
        var text = lines.joined(separator: "\n  ") + "\n\n"
        for line in TextLayout.wrapped(subcommand.summary + " " + subcommand.discussion, to: TextLayout.width) {
            text += line + "\n"
        }
        if let alias = subcommand.aliases.first { text += "\nAlso called \(alias).\n" }
        text += "\n" + Self.described((subcommand.options + [.help]).map { ($0.usage, $0.summary) })
        if !subcommand.stores.isEmpty {
            text += "\n\(subcommand.stores.joined(separator: " and ")):\n\n" + Self.described(Self.storeForms)
        }
        return text
    }

    /// Terms with their descriptions, in two columns.
    private static func described(_ terms: [(String, String)]) -> String {
        let indentation = 4 + (terms.map { TextLayout.columns($0.0) }.max() ?? 0)
        var text = ""
        for (term, description) in terms {
            var first = TextLayout.padded("  \(term)", to: indentation)
            for line in TextLayout.wrapped(description, to: TextLayout.width - indentation) {
                text += first + line + "\n"
                first = String(repeating: " ", count: indentation)
            }
        }
        return text
    }
}

/// A name or a text in a message.
package func quoted(_ text: String) -> String { "\"\(text)\"" }
