import SettingsCommandLine
import SettingsKit

extension SettingsTool: CommandProgram {
    var title: String { "Shows, changes, watches, compares and moves the settings of any store." }
    var findings: String { "problems or differences found" }

    static var subcommands: [Subcommand<SettingsTool>] {
        [
            .list(
                summary: "Show all settings with their kinds and values.",
                discussion:
                    "Values that do not fit into the line are cut off; --json has them whole. If the store is damaged, its "
                    + "intact part is shown, and the exit code is 1."),
            .get(
                discussion: "Text is printed without quotation marks, data in base 64, everything else as JSON. "),
            .set,
            .delete(
                summary: "Remove stored values.",
                discussion:
                    "If one of the settings is not stored, nothing is removed. Up to \(ToolLimits.batch) are removed "
                    + "together, more in several batches."),
            .watch(additions: "; for a shared directory, also the device that made the change"),
            .explain(
                summary: "Show where the value of a setting comes from.",
                discussion:
                    "It names the file and the line, or the log beside it, the kind and the size; for a shared directory, "
                    + "the device that made the last change, and when. For a program, it also shows the files of the "
                    + "administrator, which come before and after the program's own."),
            .edit(discussion: "The kind of a value stays; set changes it."),
            .completions,
            .export,
            .import,
            .diff,
            .copy,
            .replicas,
            .doctor,
        ]
    }

    static var stores: [String] { ["STORE"] }
    static var storeForms: [(String, String)] { StorePlace.forms }

    func message(for error: any Error) -> String {
        switch error {
        case let error as SettingsError: "\(error)"
        case let error as SystemError: "\(error)."
        default: "\(SettingsError(.readFailed, underlying: error))"
        }
    }

    /// Opens the store that the arguments name, calls a function with it, and prints the problems that it has reported.
    func withSettings<R>(
        _ invocation: Invocation, _ streams: CommandStreams, for use: SettingsUse,
        _ body: (OpenedStore) throws -> R
    ) throws -> R {
        let opened = try OpenedStore(place(invocation), for: use)
        // The store may report more after the result is known.
        defer { opened.reportProblems(to: streams) }
        return try body(opened)
    }
}
