import SettingsKit

extension SettingsCommand: CommandProgram {
    package var title: String { "\(catalogue.title): settings" }
    package var findings: String { "problems found by check" }

    package static var settingsOptions: [CommandOptionGroup] { [] }

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
                let (name, text) = (try invocation.name(), try invocation.text(1))
                return { try $0.settings.set($0.command.setting(named: name), fromText: text) }
            },
            .delete(
                summary: "Remove stored values, so that the next layer or the default counts.",
                discussion:
                    "If one of the settings is locked, nothing is removed. NAME may also be a stored name that no "
                    + "setting has."),
            .watch(),
            .export,
            .import(
                options: [], summary: "Store the values of a JSON file: all of them, or none.",
                discussion: "Settings that the file does not name keep their values. The member $comment is ignored."
            ) { _, invocation, streams in
                let members = try CatalogueSettings.members(ofFile: invocation.text(0), streams)
                return { try $0.differences(in: members) }
            },
            .check,
            .explain(
                summary: "Show what each layer has for a setting, and which one counts.",
                discussion: "The layers are in the order of their precedence."),
            .browse(),
        ]
    }
}

extension Subcommand where Program == SettingsCommand {
    fileprivate static var export: Self {
        Self(
            name: "export", options: [.effective, .secrets], summary: "Print the stored values as JSON.",
            discussion: "Only the store's own values are exported, in a form that import reads: no arguments, no "
                + "variables, no values of other layers, no defaults. Secrets are left out."
        ) { command, invocation, streams in
            try CatalogueSettings(command: command).export(invocation, streams)
            return .success
        }
    }

    fileprivate static var check: Self {
        Self(
            name: "check", options: [.json], summary: "Report all problems at once.",
            discussion:
                "The exit code is 3 if there are problems: invalid values, unknown names, stores that cannot be read."
        ) { command, invocation, streams in
            try command.check(invocation, streams)
        }
    }
}

extension SettingsCommand {
    fileprivate func check(_ invocation: Invocation, _ streams: CommandStreams) throws -> ExitCode {
        let problems = catalogue.check(in: settings)
        let code: ExitCode = problems.isEmpty ? .success : .problems
        do {
            try show(problems, asJSON: invocation.has(.json), streams)
        } catch is CommandStreams.Closed {
            // The exit code reports problems even if the output is closed early.
        }
        return code
    }

    private func show(_ problems: [SettingsCatalogue.Problem], asJSON: Bool, _ streams: CommandStreams) throws {
        if asJSON {
            let list = problems.map { problem in
                var members: [(name: String, value: JSONText)] = [
                    ("kind", .string(problem.kind.rawValue)), ("scope", .string("\(problem.scope)")),
                ]
                if let name = problem.name { members.append(("name", .string(name))) }
                if let other = problem.otherName { members.append(("otherName", .string(other))) }
                if let layer = problem.error?.layer { members.append(("layer", .string(layer))) }
                members.append(("message", .string("\(problem)")))
                return JSONText.object(members)
            }
            try streams.print(JSONText.array(list).indented + "\n")
        } else if problems.isEmpty {
            try streams.print("No problems.\n")
        } else {
            for problem in problems {
                // The second line of a message is indented, to show where the next message begins.
                let lines = TextLayout.wrapped("\(problem)", to: TextLayout.width - 2)
                try streams.print(lines.joined(separator: "\n  ") + "\n")
            }
            if problems.contains(where: { $0.kind == .unknownName && $0.otherName == nil }) {
                try streams.print("\n\(name) delete NAME removes a stored name that no setting has.\n")
            }
        }
    }
}
