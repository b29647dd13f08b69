import SettingsCommandLine
import SettingsKit

/// The tool `settings`: shows, changes, watches, compares, moves and repairs the settings of any store, without knowing their
/// types.
///
/// ```swift
/// exit(SettingsTool().run(SettingsTool.processArguments))
/// ```
///
/// Each subcommand has a `--help`. A store is named by `--app NAME`, `--file PATH`, `--shared DIR` or `--sqlite PATH`. Subcommands
/// that only read never write to a store: they create no file, take no lock, and export nothing. (SQLite itself may create
/// the files `-shm` and `-wal` beside a database.)
///
/// Exit codes and outputs are those of ``SettingsCommand``. All functions may be called from any thread.
package struct SettingsTool: Sendable {
    /// The name of the tool in help texts.
    package let name: String
    private let usesColors: Bool
    private let width: Int
    private let showsProgress: Bool

    /// Creates the tool.
    ///
    /// - Parameters:
    ///   - name: The name of the tool in help texts.
    ///   - usesColors: Whether the output shows colors. By default, if standard output is a terminal, and the variable
    ///     `NO_COLOR` is not set.
    ///   - width: The number of columns of the output. By default, that of the terminal, and 80 without one.
    ///   - showsProgress: Whether messages show how far a long operation is. By default, if standard error is a terminal.
    package init(
        name: String = "settings", usesColors: Bool = StandardStreams.outputHasColors,
        width: Int = StandardStreams.outputWidth, showsProgress: Bool = StandardStreams.errorsAreTerminal
    ) {
        self.name = name
        self.usesColors = usesColors
        self.width = width
        self.showsProgress = showsProgress
    }

    /// Carries out a subcommand, as ``SettingsCommand/run(_:input:output:errors:)`` does.
    ///
    /// - Parameter arguments: The subcommand and its arguments, without the name of the program, each as bytes in UTF-8. Bytes
    ///   that are not UTF-8 are a wrong usage, and a message says so.
    package func run(
        _ arguments: [[UInt8]], input: @escaping () throws -> Data = StandardStreams.read,
        output: @escaping (String) throws -> Void = StandardStreams.writeOutput,
        errors: @escaping (String) throws -> Void = StandardStreams.writeError
    ) -> Int32 {
        let streams = CommandStreams(
            read: input, output: output, errors: errors, usesColors: usesColors, width: width,
            showsProgress: showsProgress)
        return perform(arguments.map { CommandArgument($0) }, streams).rawValue
    }

    /// The arguments of the process as bytes, without the name of the program.
    package static var processArguments: [[UInt8]] {
        (0..<Int(CommandLine.argc)).dropFirst().compactMap { index in
            CommandLine.unsafeArgv[index].map { argument in
                Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
            }
        }
    }
}

extension SettingsTool: CommandProgram {
    package var title: String { "Shows, changes, watches, compares and moves the settings of any store." }
    package var findings: String { "problems or differences found" }

    package static var subcommands: [Subcommand<SettingsTool>] {
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
                    "If one of the settings is not stored, nothing is removed. Up to \(OpenedStore.batchSize) are removed "
                    + "together, more in several batches."),
            .watch(additions: "; for a shared directory, also the device that made the change"),
            .explain(
                summary: "Show where the value of a setting comes from.",
                discussion:
                    "It names the file and the line, or the journal beside it, the kind and the size; for a shared directory, "
                    + "the device that made the last change, and when. With --app, it also shows the files of the "
                    + "administrator, which come before and after the program's own."),
            .browse(addition: " A value keeps the kind that it has."),
            .completions,
            .complete,
            .export,
            .import,
            .importDefaults,
            .diff,
            .copy,
            .replicas,
            .doctor,
        ]
    }

    package static var settingsOptions: [CommandOptionGroup] { [StoreArguments.options()] }

    package func message(for error: any Error) -> String {
        switch error {
        case let error as SettingsError: "\(error)"
        case let error as SystemError: "\(error)."
        default: "\(SettingsError(.readFailed, underlying: error))"
        }
    }

    /// Opens the store that the options name, calls a function with it, and prints the problems that it has reported.
    package func withSettings<R>(
        _ invocation: Invocation, _ streams: CommandStreams, for use: SettingsUse,
        _ body: (OpenedStore) throws -> R
    ) throws -> R {
        let opened = try OpenedStore(StoreArguments(invocation), for: use, isForced: invocation.has(.force))
        // The store may report more after the result is known.
        defer { opened.reportProblems(to: streams) }
        return try body(opened)
    }
}
