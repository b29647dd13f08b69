import SettingsCommandLine
import SettingsKit

/// The tool `settings`: shows, changes, watches, compares, moves and inspects the settings of any store, without knowing their
/// types.
///
/// ```swift
/// exit(SettingsTool().run(Array(CommandLine.arguments.dropFirst())))
/// ```
///
/// Each subcommand has a `--help`. ``StorePlace`` says how an argument names a store. Subcommands that only read never write to a store: they create no file, take no lock, and export nothing. (SQLite itself may create
/// the files `-shm` and `-wal` beside a database.)
///
/// Exit codes and outputs are those of ``SettingsCommand``. All functions may be called from any thread.
struct SettingsTool: Sendable {
    /// The name of the tool in help texts.
    let name: String
    private let width: Int
    private let variable: @Sendable (String) -> String?

    /// Creates the tool.
    ///
    /// - Parameters:
    ///   - name: The name of the tool in help texts.
    ///   - width: The number of columns of the output. By default, that of the terminal, and 80 without one.
    ///   - variable: The value of an environment variable.
    init(
        name: String = "settings", width: Int = StandardStreams.outputWidth,
        variable: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) {
        self.name = name
        self.width = width
        self.variable = variable
    }

    /// Carries out a subcommand, as ``SettingsCommand/run(_:input:output:errors:)`` does.
    ///
    /// - Parameter arguments: The subcommand and its arguments, without the name of the program.
    func run(
        _ arguments: [String], input: @escaping () throws -> Data = StandardStreams.read,
        output: @escaping (String) throws -> Void = StandardStreams.writeOutput,
        errors: @escaping (String) throws -> Void = StandardStreams.writeError
    ) -> Int32 {
        perform(arguments, CommandStreams(read: input, output: output, errors: errors, width: width)).rawValue
    }

    /// The store that an argument of a subcommand names.
    func place(_ invocation: Invocation, _ index: Int = 0) throws(CommandFailure) -> StorePlace {
        try place(invocation.stores[index])
    }

    /// The store that an argument names.
    func place(_ argument: String) throws(CommandFailure) -> StorePlace {
        try StorePlace(argument, variable: variable)
    }
}
