/// The message and the exit code of a subcommand that could not be carried out.
struct CommandFailure: Error {
    let code: SettingsCommand.ExitCode
    let message: String
    /// Whether the reason is that a store is missing.
    var isMissingStore = false

    static func usage(_ message: String) -> CommandFailure { CommandFailure(code: .usage, message: message) }
    static func failure(_ message: String) -> CommandFailure { CommandFailure(code: .failure, message: message) }
}
