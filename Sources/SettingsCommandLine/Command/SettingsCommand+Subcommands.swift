import SettingsKit

extension SettingsCommand: CommandProgram {
    package var title: String { "\(catalogue.title): settings" }
    package var findings: String { "problems found by check" }

    package static var subcommands: [Subcommand<SettingsCommand>] {
        [.list, .get, .set, .delete, .watch, .export, .import, .check, .explain, .browse]
    }
}

extension Subcommand where Program == SettingsCommand {
    static var list: Self {
        Self(
            name: "list", options: [.json], summary: "Show all settings with their values and sources.",
            discussion: "A value that is locked by a layer cannot be changed."
        ) { command, invocation, streams in
            try command.list(invocation, streams)
            return .success
        }
    }

    static var get: Self {
        Self(
            name: "get", operands: "NAME", operandCount: 1...1, options: [.json, .secrets], completes: .name,
            summary: "Print the value of a setting.",
            discussion:
                "Control characters other than tabs and line breaks appear as escapes. With --json, the value is exact."
        ) { command, invocation, streams in
            try command.get(invocation, streams)
            return .success
        }
    }

    static var set: Self {
        Self(
            name: "set", operands: "NAME TEXT", operandCount: 2...2, completes: .nameAndValue,
            summary: "Store a value.",
            discussion: "The type of the setting says what the text means. Arrays and structures are JSON. If the text "
                + "begins with two hyphens, write -- before it."
        ) { command, invocation, _ in
            try command.set(invocation)
            return .success
        }
    }

    static var delete: Self {
        Self(
            name: "delete", aliases: ["reset"], operands: "NAME... | --all", operandCount: 0...Int.max, options: [.all],
            completes: .names, summary: "Remove stored values, so that the next layer or the default counts.",
            discussion:
                "If one of the settings is locked, nothing is removed. NAME may also be a stored name that no setting has."
        ) { command, invocation, _ in
            try command.delete(invocation)
            return .success
        }
    }

    static var watch: Self {
        Self(
            name: "watch", operands: "[NAME...]", operandCount: 0...Int.max, options: [.json, .count],
            completes: .names,
            summary: "Print changes as they are made.",
            discussion:
                "It ends when it is interrupted, or when its output is closed. Without names, it watches all settings."
        ) { command, invocation, streams in
            try command.watch(invocation, streams)
            return .success
        }
    }

    static var export: Self {
        Self(
            name: "export", options: [.effective, .secrets], summary: "Print the stored values as JSON.",
            discussion: "Only the store's own values are exported, in a form that import reads: no arguments, no "
                + "variables, no values of other layers, no defaults. Secrets are left out."
        ) { command, invocation, streams in
            try command.export(invocation, streams)
            return .success
        }
    }

    static var `import`: Self {
        Self(
            name: "import", operands: "FILE | -", operandCount: 1...1, options: [.dryRun], completes: .files,
            summary: "Store the values of a JSON file: all of them, or none.",
            discussion:
                "Settings that the file does not name keep their values. The member $comment is ignored."
        ) { command, invocation, streams in
            try command.import(invocation, streams)
            return .success
        }
    }

    static var check: Self {
        Self(
            name: "check", options: [.json], summary: "Report all problems at once.",
            discussion:
                "The exit code is 3 if there are problems: invalid values, unknown names, stores that cannot be read."
        ) { command, invocation, streams in
            try command.check(invocation, streams)
        }
    }

    static var explain: Self {
        Self(
            name: "explain", operands: "NAME", operandCount: 1...1, options: [.json], completes: .name,
            summary: "Show what each layer has for a setting, and which one counts.",
            discussion: "The layers are in the order of their precedence."
        ) { command, invocation, streams in
            try command.explain(invocation, streams)
            return .success
        }
    }
}
