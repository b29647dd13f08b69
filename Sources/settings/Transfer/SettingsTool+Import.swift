import SettingsCommandLine
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var `import`: Self {
        .import(
            options: [.replace, .format, .variablePrefix, .json],
            summary: "Store the settings of a file.",
            discussion:
                "A file that cannot be read in full changes nothing. Settings that the file does not have stay, unless --replace "
                + "is given. Up to \(ToolLimits.batch) changes are stored together: all of them, or none. More are stored in "
                + "several batches; if that ends early, the same command goes on with what is missing. Prints a line for each "
                + "setting that changes."
        ) { tool, invocation, streams in
            let path = invocation.operands[0]
            let found = try tool.settings(inFile: path, invocation, streams) {
                try OpenedStore(tool.place(invocation), for: .readingIfPresent).contents().values
            }
            guard found.unsupported.isEmpty else {
                throw CommandFailure.failure(
                    (["Nothing was imported. These settings cannot be imported:"]
                        + found.unsupported.prefix(ToolLimits.listedSettings)).joined(separator: "\n"))
            }
            let isMerging = !invocation.has(.replace)
            if !isMerging { try tool.requireSettings(found.values.count, in: TransferFile.shown(path)) }
            return { StoredDifference.list(from: try $0.contents(), to: found.stored, isMerging: isMerging) }
        }
    }
}

extension SettingsTool {
    /// The format that an option or the extension of a path names; JSON if neither does.
    func format(_ invocation: Invocation, _ path: String) throws(CommandFailure) -> TransferFormat {
        guard let name = invocation.text(of: .format) else { return TransferFormat(path: path) ?? .json }
        if let format = TransferFormat(rawValue: name.lowercased()) { return format }
        throw .usage("--format is one of \(TransferFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    /// Reads the settings of a file.
    ///
    /// - Parameter stored: Returns the store's settings, which determine the meaning of variables.
    func settings(
        inFile path: String, _ invocation: Invocation, _ streams: CommandStreams,
        over stored: () throws -> [String: Data]
    ) throws -> TransferredSettings {
        let format = try format(invocation, path)
        let data = try TransferFile.read(path, streams)
        let known = try format == .env ? stored() : [:]
        do {
            return try format.read(data, over: known, prefix: invocation.text(of: .variablePrefix) ?? "")
        } catch {
            throw CommandFailure.failure(
                "\(TransferFile.shown(path)) cannot be read as \(format.rawValue). \(error) Nothing was changed.")
        }
    }

    /// - Throws: A failure if a source without settings would replace all others.
    func requireSettings(_ count: Int, in source: String) throws(CommandFailure) {
        guard count == 0 else { return }
        throw .failure(
            "\(source) has no settings, so \(CommandOption.replace.name) would remove all. Nothing was changed. To remove all, use "
                + "delete --all.")
    }

    func settingCount(_ count: Int) -> String { count == 1 ? "1 setting" : "\(count) settings" }
}
