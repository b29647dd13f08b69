import SettingsCommandLine
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var diff: Self {
        Self(
            name: "diff", operands: "OTHER", operandCount: 1...1,
            options: [.json, .format, .variablePrefix],
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
        let name = invocation.operands[0]
        let place = try place(name)
        return try withSettings(invocation, streams, for: .reading) { opened in
            let old = try opened.contents()
            let new: StoredSettings
            var isDamaged = opened.isDamaged
            if isExport(name, place, invocation) {
                let found = try settings(inFile: name, invocation, streams) { old.values }
                for problem in found.unsupported { streams.report("Not compared: \(problem)") }
                new = found.stored
            } else {
                let other = try OpenedStore(place, for: .reading)
                defer { other.reportProblems(to: streams) }
                new = try other.contents()
                isDamaged = isDamaged || other.isDamaged
            }
            let differences = StoredDifference.list(from: old, to: new)
            do {
                try differences.print(streams, asJSON: invocation.has(.json))
            } catch is CommandStreams.Closed {
                // The exit code reports differences even if the output is closed early.
            }
            return isDamaged ? .failure : differences.isEmpty ? .success : .problems
        }
    }

    /// Whether an operand is an export. A property list is read as a store, with the log beside it, unless an option says otherwise.
    private func isExport(_ name: String, _ place: StorePlace, _ invocation: Invocation) -> Bool {
        guard case .file = place else { return false }
        return name == "-" || invocation.has(.format) || [.json, .env].contains(TransferFormat(path: name))
    }
}
