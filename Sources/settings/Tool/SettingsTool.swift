import SettingsCommandLine
import SettingsKit

/// The tool `settings`: shows, changes, watches, compares, moves and inspects the settings of any store, without knowing their
/// types.
///
/// ```swift
/// exit(SettingsTool().run(SettingsTool.processArguments))
/// ```
///
/// Each subcommand has a `--help`. ``StorePlace`` says how an argument names a store. Subcommands that only read never write to a store: they create no file, take no lock, and export nothing. (SQLite itself may create
/// the files `-shm` and `-wal` beside a database.)
///
/// Exit codes and outputs are those of ``SettingsCommand``. All functions may be called from any thread.
struct SettingsTool: Sendable {
    /// The name of the tool in help texts.
    let name: String
    private let usesColors: Bool
    private let width: Int
    private let showsProgress: Bool
    private let variable: @Sendable (String) -> String?

    /// Creates the tool.
    ///
    /// - Parameters:
    ///   - name: The name of the tool in help texts.
    ///   - usesColors: Whether the output shows colors. By default, if standard output is a terminal, and the variable
    ///     `NO_COLOR` is not set.
    ///   - width: The number of columns of the output. By default, that of the terminal, and 80 without one.
    ///   - showsProgress: Whether messages show how far a long operation is. By default, if standard error is a terminal.
    ///   - variable: The value of an environment variable.
    init(
        name: String = "settings", usesColors: Bool = StandardStreams.outputHasColors,
        width: Int = StandardStreams.outputWidth, showsProgress: Bool = StandardStreams.errorsAreTerminal,
        variable: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) {
        self.name = name
        self.usesColors = usesColors
        self.width = width
        self.showsProgress = showsProgress
        self.variable = variable
    }

    /// Carries out a subcommand, as ``SettingsCommand/run(_:input:output:errors:)`` does.
    ///
    /// - Parameter arguments: The subcommand and its arguments, without the name of the program, each as bytes in UTF-8. Bytes
    ///   that are not UTF-8 are a wrong usage, and a message says so.
    func run(
        _ arguments: [[UInt8]], input: @escaping () throws -> Data = StandardStreams.read,
        output: @escaping (String) throws -> Void = StandardStreams.writeOutput,
        errors: @escaping (String) throws -> Void = StandardStreams.writeError
    ) -> Int32 {
        let streams = CommandStreams(
            read: input, output: output, errors: errors, usesColors: usesColors, width: width,
            showsProgress: showsProgress)
        return perform(arguments.map { CommandArgument($0) }, streams).rawValue
    }

    /// The store that an argument of a subcommand names.
    func place(_ invocation: Invocation, _ index: Int = 0) throws(CommandFailure) -> StorePlace {
        try place(invocation.stores[index])
    }

    /// The store that an argument names.
    func place(_ argument: CommandArgument) throws(CommandFailure) -> StorePlace {
        try StorePlace(argument, variable: variable)
    }

    /// The arguments of the process as bytes, without the name of the program.
    static var processArguments: [[UInt8]] {
        (0..<Int(CommandLine.argc)).dropFirst().compactMap { index in
            CommandLine.unsafeArgv[index].map { argument in
                Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
            }
        }
    }
}
