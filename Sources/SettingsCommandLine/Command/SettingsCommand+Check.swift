import SettingsKit

extension Subcommand where Program == SettingsCommand {
    static var check: Self {
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
