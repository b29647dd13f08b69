import SettingsCommandLine
import SettingsKit

extension CommandOption {
    fileprivate static let skipUnsupported = CommandOption(
        "--skip-unsupported", "Leave out what cannot be imported, instead of importing nothing.")
}

extension Subcommand where Program == SettingsTool {
    static var `import`: Self {
        .import(
            options: [.replace, .allowEmpty, .format, .variablePrefix, .skipUnsupported, .force, .json],
            summary: "Store the settings of a file.",
            discussion:
                "A file that cannot be read in full changes nothing. Settings that the file does not have stay, unless --replace "
                + "is given. Up to \(ToolLimits.batch) changes are stored together: all of them, or none. More are stored in "
                + "several batches; if that ends early, the same command goes on with what is missing. Prints a line for each "
                + "setting that changes."
        ) { tool, invocation, streams in
            try tool.differences(invocation, streams)
        }
    }
}

extension SettingsTool {
    /// Returns the settings to import. Opens a store for reading, only if the format needs it.
    ///
    /// - Throws: A failure if the file cannot be imported as the options say.
    private func importedSettings(
        _ invocation: Invocation, _ streams: CommandStreams
    ) throws -> TransferredSettings {
        let source = try source(invocation, streams)
        var stored: [String: Data] = [:]
        if source.format == .env {
            stored = try OpenedStore(place(invocation), for: .readingIfPresent).contents().values
        }
        let found = try settings(in: source, invocation, over: stored)
        try report(found.unsupported, invocation, streams)
        if invocation.has(.replace) {
            try requireSettings(found.values.count, in: TransferFile.shown(source.path), invocation)
        }
        return found
    }

    /// - Throws: A failure if a source without settings would replace all others, unless the options allow it.
    func requireSettings(_ count: Int, in source: String, _ invocation: Invocation) throws(CommandFailure) {
        guard count == 0, !invocation.has(.allowEmpty) else { return }
        throw .failure(
            "\(source) has no settings, so \(CommandOption.replace.name) would remove all. Nothing was changed. "
                + "\(CommandOption.allowEmpty.name) allows this.")
    }

    fileprivate func differences(
        _ invocation: Invocation, _ streams: CommandStreams
    ) throws -> (OpenedStore) throws -> [StoredDifference] {
        let found = try importedSettings(invocation, streams)
        let isMerging = !invocation.has(.replace)
        return { StoredDifference.list(from: try $0.contents(), to: found.stored, isMerging: isMerging) }
    }

    private func report(
        _ unsupported: [TransferredSettings.Unsupported], _ invocation: Invocation, _ streams: CommandStreams
    ) throws {
        guard !unsupported.isEmpty else { return }
        let shown = unsupported.prefix(ToolLimits.listedSettings).map { "\(quoted($0.name)): \($0.reason)." }
        let more = unsupported.count > shown.count ? ["and \(unsupported.count - shown.count) more."] : []
        let lines = (shown + more).joined(separator: "\n")
        if invocation.has(.skipUnsupported) && invocation.has(.replace) {
            throw CommandFailure.failure(
                "Nothing was imported. These settings cannot be imported, and --replace would remove them:\n\(lines)\n"
                    + "Import the others without --replace.")
        }
        if invocation.has(.skipUnsupported) {
            streams.report("Left out:\n\(lines)")
        } else {
            throw CommandFailure.failure(
                "Nothing was imported. These settings cannot be imported:\n\(lines)\n"
                    + "--skip-unsupported imports the others.")
        }
    }
}
