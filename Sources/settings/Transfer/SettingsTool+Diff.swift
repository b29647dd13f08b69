import SettingsCommandLine
import SettingsKit

extension CommandOption {
    fileprivate static let namesOnly = CommandOption("--names-only", "Show the names, and no values.")
}

extension Subcommand where Program == SettingsTool {
    static var diff: Self {
        Self(
            name: "diff", operands: "OTHER", operandCount: 1...1,
            options: [.namesOnly, .json, .format, .variablePrefix],
            summary: "Compare two stores, or a store and an export.",
            discussion:
                "OTHER is a store, or a file that export has written. "
                + "Prints a line for each setting that differs: + only the second has it, - only the first has it, ~ both "
                + "have it. The exit code is 3 if there are any."
        ) { tool, invocation, streams in
            try tool.diff(invocation, streams)
        }
    }
}

extension SettingsTool {
    fileprivate func diff(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let place = try otherPlace(invocation, streams)
        return try withSettings(invocation, streams, for: .reading) { opened in
            let old = try opened.contents()
            let new: StoredSettings
            var isDamaged = opened.isDamaged
            if let place {
                let other = try OpenedStore(place, for: .reading)
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

    /// The second store; nil if it is a file that must be read as an export. A property list may be either, and is read with the
    /// journal beside it.
    private func otherPlace(_ invocation: Invocation, _ streams: CommandStreams) throws -> StorePlace? {
        let place = try place(invocation.operands[0])
        guard case .file(let path) = place else { return place }
        if path == "-" { return nil }
        if let named = try format(invocation, path, among: TransferFormat.allCases) {
            return named == .plist ? place : nil
        }
        // The store reports a file that cannot be read. If it is missing, the journal may be there.
        guard let contents = try? TransferFile.read(path, streams) else { return place }
        return TransferFormat(contents: contents) == .plist ? place : nil
    }
}
