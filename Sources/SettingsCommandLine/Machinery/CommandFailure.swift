/// The message and the exit code of a failed subcommand.
package struct CommandFailure: Error {
    package let code: SettingsCommand.ExitCode
    package let message: String
    /// Whether the reason is that a store is missing.
    package var isMissingStore = false

    package init(code: SettingsCommand.ExitCode, message: String, isMissingStore: Bool = false) {
        self.code = code
        self.message = message
        self.isMissingStore = isMissingStore
    }

    package static func usage(_ message: String) -> CommandFailure { CommandFailure(code: .usage, message: message) }
    package static func failure(_ message: String) -> CommandFailure {
        CommandFailure(code: .failure, message: message)
    }
}
