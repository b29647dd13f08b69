import SettingsCommandLine
import SettingsKit

extension CommandOption {
    fileprivate static let namesOnly = CommandOption("--names-only", "Show the names, and no values.")
}

extension Subcommand where Program == SettingsTool {
    static var diff: Self {
        Self(
            name: "diff", operands: "[FILE]", operandCount: 0...1,
            options: [.namesOnly, .json, .format, .variablePrefix],
            groups: [
                StoreArguments.options(),
                StoreArguments.options(
                    prefix: "with-", title: "The second store, in the place of FILE:", placeholder: "[SECOND STORE]"),
            ], completes: .files, summary: "Compare two stores, or a store and an export.",
            discussion:
                "Prints a line for each setting that differs: + only the second has it, - only the first has it, ~ both "
                + "have it. The exit code is 3 if there are any."
        ) { tool, invocation, streams in
            try tool.diff(invocation, streams)
        }
    }
}

extension SettingsTool {
    fileprivate func diff(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let second = try StoreArguments.optional(invocation, prefix: "with-")
        guard (second == nil) != invocation.operands.isEmpty else {
            throw CommandFailure.usage("diff needs FILE or a second store, such as --with-file PATH.")
        }
        return try withSettings(invocation, streams, for: .reading) { opened in
            let old = try opened.contents()
            let new: StoredSettings
            var isDamaged = opened.isDamaged
            if let second {
                let other = try OpenedStore(second, for: .reading)
                defer { other.reportProblems(to: streams) }
                new = try other.contents()
                isDamaged = isDamaged || other.isDamaged
            } else {
                let found = try settings(in: source(invocation, streams), invocation, over: old.values)
                for setting in found.unsupported {
                    streams.report("\(quoted(setting.name)) is not compared: \(setting.reason).")
                }
                new = found.stored
            }
            let differences = StoredDifference.list(from: old, to: new)
            do {
                try differences.print(streams, asJSON: invocation.has(.json), showsValues: !invocation.has(.namesOnly))
            } catch is CommandStreams.Closed {
                // The exit code reports differences even if the output is closed early.
            }
            return isDamaged ? .failure : differences.isEmpty ? .success : .problems
        }
    }
}
