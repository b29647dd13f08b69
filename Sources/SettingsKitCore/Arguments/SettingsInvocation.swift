/// The arguments of a program: options that are settings, and the others. ``SettingsCatalogue/parse(_:flags:)`` creates it.
///
/// ```swift
/// let invocation = try catalogue.parse(CommandLine.arguments.dropFirst())
/// let layered = try LayeredStore([.arguments(invocation), .environment(prefix: "PLAYER_"), .writable(own)])
/// for path in invocation.positionals { ... }
/// ```
public struct SettingsInvocation: Sendable {
    /// The arguments that are neither options nor their values, in their order, with those after `--`. The first one may be the
    /// program's subcommand.
    public internal(set) var positionals: [String] = []
    /// The program's own flags that are present, without hyphens.
    public internal(set) var flags: Set<String> = []
    /// Whether `--help` or `-h` is present. Problems with other arguments are not errors then.
    public internal(set) var isHelpRequested = false
    /// The options that are settings.
    var options = ArgumentText()
}

extension LayeredStore.Layer {
    /// Returns a layer for the options of an invocation, which were checked. The layer's name is `arguments`.
    ///
    /// - Parameter invocation: The result of ``SettingsCatalogue/parse(_:flags:)``.
    public static func arguments(_ invocation: SettingsInvocation) -> LayeredStore.Layer {
        LayeredStore.Layer(name: argumentsName, source: .text(invocation.options))
    }
}

extension SettingsCatalogue {
    /// Parses the arguments of a program that accepts the catalogue's settings as options, and refuses other options.
    ///
    /// ```swift
    /// let invocation = try catalogue.parse(CommandLine.arguments.dropFirst(), flags: ["version"])
    /// if invocation.isHelpRequested { print(catalogue.help(environmentPrefix: "PLAYER_")) }
    /// ```
    ///
    /// - An option is spelled as in ``LayeredStore/Layer/arguments(_:)-([String])``: `--launch-count 3`, `--launch-count=3`, `--muted`,
    ///   `--no-muted`, `--muted false`. If an option that is no list is repeated, the last one counts.
    /// - The argument after an option that is no Boolean is its value, unless it begins with two hyphens.
    /// - All other arguments are positionals, also a single hyphen, numbers such as `-5`, and everything after `--`.
    /// - Values are checked by the setting's type and validation.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the name of the program.
    ///   - flags: The program's own options, without hyphens. They have no value.
    /// - Throws: ``SettingsError`` with the code `invalidArguments`. Its description has all problems, each in a line, with the name that
    ///   was probably meant, and the usage.
    public func parse(
        _ arguments: some Sequence<String>, flags: Set<String> = []
    ) throws(SettingsError) -> SettingsInvocation {
        var parser = ArgumentParser(self, flags: flags)
        parser.read(Array(arguments))
        if parser.invocation.isHelpRequested || parser.problems.isEmpty { return parser.invocation }
        let usage = "usage: \(TextLayout.escaped(programName)) [OPTIONS]; --help lists them."
        throw SettingsError(
            .invalidArguments, underlying: ArgumentProblems(problems: parser.problems, usage: usage))
    }
}
