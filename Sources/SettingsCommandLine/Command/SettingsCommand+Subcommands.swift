import SettingsKit

extension SettingsCommand: CommandProgram {
    package var title: String { "\(catalogue.title): settings" }
    package var findings: String { "problems found by check" }

    package static var stores: [String] { [] }
    package static var storeForms: [(String, String)] { [] }

    package func withSettings<R>(
        _ invocation: Invocation, _ streams: CommandStreams, for use: SettingsUse,
        _ body: (CatalogueSettings) throws -> R
    ) throws -> R {
        try body(CatalogueSettings(command: self))
    }

    package static var subcommands: [Subcommand<SettingsCommand>] {
        [
            .list(
                summary: "Show all settings with their values and sources.",
                discussion: "A value that is locked by a layer cannot be changed."),
            .get(options: [.secrets]),
            .set(
                operandCount: 2...2,
                discussion: "The type of the setting says what TEXT means. Arrays and structures are JSON."
            ) { _, invocation, _ in
                let (name, text) = (try invocation.names()[0], invocation.operands[1])
                return { try $0.settings.set($0.command.setting(named: name), fromText: text) }
            },
            .delete(
                summary: "Remove stored values, so that the next layer or the default counts.",
                discussion:
                    "If one of the settings is locked, nothing is removed. NAME may also be a stored name that no "
                    + "setting has."),
            .edit(discussion: "A secret appears as <hidden>, and stays unless you write another one."),
            .watch(),
            .export,
            .import(
                options: [], summary: "Store the values of a JSON file: all of them, or none.",
                discussion: "Settings that the file does not name keep their values. The member $comment is ignored."
            ) { _, invocation, streams in
                let values = try CatalogueSettings.values(inFile: invocation.operands[0], streams)
                return { try $0.changes(values) }
            },
            .check,
            .explain(
                summary: "Show what each layer has for a setting, and which one counts.",
                discussion: "The layers are in the order of their precedence."),
        ]
    }
}

extension Subcommand where Program == SettingsCommand {
    fileprivate static var export: Self {
        Self(
            name: "export", options: [.secrets], summary: "Print the stored values as JSON.",
            discussion: "Only the store's own values are exported, in a form that import reads: no arguments, no "
                + "variables, no values of other layers, no defaults. Secrets are left out."
        ) { command, invocation, streams in
            try CatalogueSettings(command: command).export(invocation, streams)
            return .success
        }
    }
}

extension CatalogueSettings {
    /// The members of a JSON file.
    fileprivate static func values(inFile path: String, _ streams: CommandStreams) throws -> [EditedValue] {
        let file = try TransferFile.read(path, streams)
        do throws(SettingsFileProblem) {
            return try JSONMembersFile.members(of: file).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        } catch {
            throw CommandFailure.failure(
                "\(TransferFile.shown(path)) is not a JSON object, as export writes it. \(error) Nothing was imported.")
        }
    }
}
