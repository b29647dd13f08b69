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
    /// The options that are settings: `--port=9000`, `--muted`, `--no-muted`.
    var options: [String] = []
}

extension LayeredStore.Layer {
    /// Returns a layer for the options of an invocation, which were checked. The layer's name is `arguments`.
    ///
    /// - Parameter invocation: The result of ``SettingsCatalogue/parse(_:flags:)``.
    public static func arguments(_ invocation: SettingsInvocation) -> LayeredStore.Layer {
        .arguments(invocation.options)
    }
}
