import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Gives a program subcommands over its own settings: `list`, `get`, `set`, `delete`, `watch`, `export`, `import`, `check`
/// and `explain`.
///
/// ```swift
/// exit(SettingsCommand(catalogue, settings: settings).run(Array(CommandLine.arguments.dropFirst())))
/// ```
///
/// `help`, and `--help` with each subcommand, say what the arguments are. Settings have the names that
/// ``SettingsCatalogue/name(of:)`` returns; for a wrong name, the nearest known one is suggested. Changes go through the
/// service, so that locked settings, invalid values and stores that cannot be written are refused as everywhere. Values of
/// secret settings appear as `•••`; only `get --secrets` and `export --secrets` show them.
///
/// ## Exit codes
/// See ``ExitCode``: 0 if all went well, 1 if the operation failed, 2 if the arguments are wrong, 3 if `check` found problems.
///
/// ## Output
/// Results go to `output`, and errors to `errors`, each with what to do next. If the program that reads the output has ended,
/// the command ends without a message, and the exit code is the same. An output that cannot be written for another reason,
/// such as a full disk, is a failure. Messages that cannot be written are lost.
public struct SettingsCommand: Sendable {
    /// The exit codes of ``SettingsCommand/run(_:input:output:errors:)`` and of the tool `settings`.
    public enum ExitCode: Int32, Sendable, CaseIterable {
        /// The operation succeeded, even if nothing has read its output to the end.
        case success = 0
        /// The operation failed and changed nothing, or its output could not be written.
        case failure = 1
        /// The arguments are wrong, or the catalogue has no setting of that name. (Nothing stored under a name is a failure.)
        case usage = 2
        /// `check` or `doctor` found problems, or `diff` found differences.
        case problems = 3
    }

    let catalogue: SettingsCatalogue
    let settings: SettingsService
    /// The name of the command in help texts.
    package let name: String

    /// Creates the command of a program.
    ///
    /// - Parameters:
    ///   - catalogue: The settings that the command knows.
    ///   - settings: The service that has their values.
    ///   - name: The name of the command in help texts, such as `player settings`; nil for the name of the executable.
    public init(_ catalogue: SettingsCatalogue, settings: SettingsService, name: String? = nil) {
        self.catalogue = catalogue
        self.settings = settings
        let executable = CommandLine.arguments.first.map { URL(filePath: $0).lastPathComponent }
        self.name = name ?? executable ?? "settings"
    }

    /// Carries out a subcommand.
    ///
    /// It returns when the subcommand is done; `watch` runs until the process is interrupted, a change cannot be printed, or it has
    /// printed as many changes as `--count` says. Nothing is called on another thread.
    ///
    /// - Parameters:
    ///   - arguments: The subcommand and its arguments, without the name of the program: `["set", "port", "9000"]`.
    ///   - input: Reads the file of `import -`; standard input by default.
    ///   - output: Receives the result, in one or more pieces with line breaks; standard output by default. It throws if no
    ///     more can be written: a `POSIXError` other than `EPIPE` is a failure, and any other error means that nothing reads the
    ///     output any more.
    ///   - errors: Receives messages; standard error by default. What it throws is ignored.
    /// - Returns: The exit code of the process; see ``ExitCode``.
    public func run(
        _ arguments: [String], input: @escaping () throws -> Data = StandardStreams.read,
        output: @escaping (String) throws -> Void = StandardStreams.writeOutput,
        errors: @escaping (String) throws -> Void = StandardStreams.writeError
    ) -> Int32 {
        perform(arguments, CommandStreams(read: input, output: output, errors: errors)).rawValue
    }

    /// The setting with a name.
    func setting(named name: String) throws(CommandFailure) -> SettingsService.SettingDefinition {
        if let setting = catalogue.setting(named: name) { return setting }
        throw .usage(unknown(name))
    }

    /// A message about a wrong name.
    func unknown(_ name: String) -> String {
        if let similar = catalogue.name(similarTo: name) {
            return "There is no setting \(quoted(name)). Did you mean \(similar)?"
        }
        return "There is no setting \(quoted(name)). \(self.name) list shows all."
    }

    /// An error of the service, with the setting's name in front.
    package func message(for error: any Error) -> String {
        guard let error = error as? SettingsError, let key = error.key,
            let setting = catalogue.settings.first(where: { $0.key == key })
        else { return "\(error)" }
        return "\(catalogue.name(of: setting)): \(error)"
    }
}
