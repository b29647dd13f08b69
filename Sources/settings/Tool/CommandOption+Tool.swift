import SettingsCommandLine

// The options that several subcommands of the tool have.
extension CommandOption {
    static let format = CommandOption(
        "--format", value: "FORMAT",
        "plist or json; for import and diff also env. By default, the file's extension says, and json without one.")
    static let variablePrefix = CommandOption(
        "--variable-prefix", value: "TEXT", "The beginning of the variables in a file of the format env.")
    static let replace = CommandOption("--replace", "Remove the settings that the source does not have.")
}
