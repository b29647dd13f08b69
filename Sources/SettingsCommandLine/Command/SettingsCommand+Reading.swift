import SettingsKit

extension SettingsCommand {
    /// What the store holds for a setting.
    ///
    /// - Throws: the error of a store that cannot be read.
    func state(
        of setting: SettingsService.SettingDefinition, showsSecrets: Bool
    ) throws(SettingsError) -> SettingState {
        let state = setting.catalogued.state(in: settings, showsSecrets: showsSecrets)
        if let problem = state.storeProblem { throw problem }
        return state
    }

    func list(_ invocation: Invocation, _ streams: CommandStreams) throws {
        try streams.print(
            invocation.has(.json)
                ? catalogue.json(in: settings) : catalogue.table(in: settings, width: TextLayout.width))
    }

    func get(_ invocation: Invocation, _ streams: CommandStreams) throws {
        let setting = try setting(named: invocation.text(0))
        let state = try state(of: setting, showsSecrets: invocation.has(.secrets))
        if let problem = state.problem { streams.report(message(for: problem)) }
        if invocation.has(.json) {
            return try streams.print(SettingsCatalogue.json(of: state.text, setting).indented + "\n")
        }
        guard let text = state.text else {
            throw CommandFailure.failure("\(catalogue.name(of: setting)): The value has no text.")
        }
        try streams.print(TextLayout.escaped(text, keepsLines: true) + "\n")
    }

    func check(_ invocation: Invocation, _ streams: CommandStreams) throws -> ExitCode {
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

    // MARK: Explaining

    func explain(_ invocation: Invocation, _ streams: CommandStreams) throws {
        let setting = try setting(named: invocation.text(0))
        let state = try state(of: setting, showsSecrets: false)
        let lines = explanations(of: setting, state)
        if invocation.has(.json) {
            let layers = lines.map { line in
                var members: [(name: String, value: JSONText)] = [
                    ("layer", .string(line.name)), ("holdsValue", .bool(line.text != nil)),
                    ("isInForce", .bool(line.isInForce)),
                ]
                if let text = line.text { members.append(("text", .string(text))) }
                if let location = line.location { members.append(("location", .string(location))) }
                if !line.remark.isEmpty { members.append(("remark", .string(line.remark))) }
                return JSONText.object(members)
            }
            var members: [(name: String, value: JSONText)] = [
                ("name", .string(catalogue.name(of: setting))),
                ("value", SettingsCatalogue.json(of: state.text, setting)),
                ("source", .string("\(state.source)")), ("isLocked", .bool(state.isLocked)),
            ]
            if let lock = state.lock { members.append(("lock", lock.json)) }
            members.append(("layers", .array(layers)))
            return try streams.print(JSONText.object(members).indented + "\n")
        }
        try streams.print(explanation(of: setting, state, lines))
    }

    struct LayerLine {
        let name: String
        var text: String?
        var location: String?
        var isInForce = false
        var remark = ""
    }

    /// The explanation of each layer, and of the default.
    func explanations(
        of setting: SettingsService.SettingDefinition, _ state: SettingState
    ) -> [LayerLine] {
        var lines: [LayerLine] = []
        // The name of the layer in force, once found.
        var inForce: String?
        for name in state.layerNames {
            let isSource = state.source == (name.map { .layer($0) } ?? .store)
            var line = LayerLine(name: name ?? "store")
            if let layer = state.layers.first(where: { $0.name == name }) {
                line.text = layer.text ?? (layer.problem == nil ? "(no text)" : "(not text)")
                line.location = layer.location
                line.isInForce = isSource && !state.isLastGood
                if let problem = layer.problem {
                    line.remark = isSource && state.isLastGood ? "not used; the last good value stays" : "not used"
                    line.remark += problem.expected.map { ": expected \($0)" } ?? ""
                } else if isSource {
                    line.remark = layer.isLocking ? "in force, locked" : "in force"
                } else if let inForce {
                    line.remark = "hidden by \(inForce)"
                }
            }
            if let lock = state.lock, lock.layer == name, lock.problem != nil {
                line.remark += (line.remark.isEmpty ? "" : "; ") + "cannot be read, so the setting is locked"
            }
            if isSource { inForce = name ?? "store" }
            lines.append(line)
        }
        var line = LayerLine(name: "default", text: setting.defaultText ?? "(computed)")
        line.isInForce = state.source == .default
        line.remark = line.isInForce ? "in force" : ""
        return lines + [line]
    }

    private func explanation(
        of setting: SettingsService.SettingDefinition, _ state: SettingState, _ lines: [LayerLine]
    ) -> String {
        let name = TextLayout.escaped(catalogue.name(of: setting))
        let value = TextLayout.escaped(state.text ?? "(no text)")
        let cells = lines.map { line in
            [
                TextLayout.escaped(line.name), TextLayout.truncated(TextLayout.escaped(line.text ?? "–"), to: 24),
                TextLayout.escaped(line.location ?? ""),
            ]
        }
        let columns = TextLayout.table(cells, indentation: 2)
        let indentation = (columns.map { TextLayout.columns($0) }.max() ?? 0) + 2
        var text = TextLayout.truncated("\(name): \(value)", to: TextLayout.width) + "\n\n"
        for (line, cells) in zip(lines, columns) {
            let remark = TextLayout.escaped(line.remark)
            if remark.isEmpty {
                text += cells + "\n"
            } else if indentation + TextLayout.columns(remark) <= TextLayout.width {
                text += TextLayout.padded(cells, to: indentation) + remark + "\n"
            } else {
                text += cells + "\n"
                for line in TextLayout.wrapped(remark, to: TextLayout.width - 6) { text += "      \(line)\n" }
            }
        }
        if let problem = state.lock?.problem {
            text += "\n"
            let message = TextLayout.escaped("\(problem)")
            for line in TextLayout.wrapped(message, to: TextLayout.width) { text += line + "\n" }
        }
        text += "\n"
        let description = TextLayout.escaped(SettingsCatalogue.description(of: setting))
        for line in TextLayout.wrapped(description, to: TextLayout.width) { text += line + "\n" }
        return text
    }
}
