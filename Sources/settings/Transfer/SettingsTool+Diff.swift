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
        let other = try other(invocation, streams)
        return try withSettings(invocation, streams, for: .reading) { opened in
            let old = try opened.contents()
            let new: StoredSettings
            var isDamaged = opened.isDamaged
            switch other {
            case .store(let place):
                let other = try OpenedStore(place, for: .reading)
                defer { other.reportProblems(to: streams) }
                new = try other.contents()
                isDamaged = isDamaged || other.isDamaged
            case .export(let source):
                let found = try settings(in: source, invocation, over: old.values)
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

    private enum Other {
        case store(StorePlace)
        case export(Source)
    }

    /// The second store, or the export. A property list may be either, and is read with the log beside it. A pipe is read once.
    private func other(_ invocation: Invocation, _ streams: CommandStreams) throws -> Other {
        let place = try place(invocation.operands[0])
        guard case .file(let path) = place else { return .store(place) }
        let named = try format(invocation, path, among: TransferFormat.allCases)
        if path != "-" && named == .plist { return .store(place) }
        var isFile = false
        if path != "-" && named == nil {
            let kind = try POSIXFileSystem().status(of: path, followingLink: true)?.kind
            // If the file is missing, the store's log may be there.
            if kind == nil || kind == .directory { return .store(place) }
            isFile = kind == .file
        }
        let source = try source(invocation, streams)
        return isFile && source.format == .plist ? .store(place) : .export(source)
    }
}
