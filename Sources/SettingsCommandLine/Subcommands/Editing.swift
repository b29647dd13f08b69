import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What `edit` shows of settings, and what it must know to overwrite nothing.
package struct EditedSettings {
    /// The stored values. Secrets are hidden.
    package var shown: [(name: String, value: JSONText)]
    /// The values to compare with those that are stored later, in a form of the settings' own.
    package var known: [String: Data]

    package init(shown: [(name: String, value: JSONText)], known: [String: Data]) {
        (self.shown, self.known) = (shown, known)
    }
}

/// A value that a person has edited, as JSON; nil for a setting that was left out.
package typealias EditedValue = (name: String, json: Data?)

extension Subcommand {
    package static func edit(options: [CommandOption] = [], discussion: String) -> Self {
        Self(
            name: "edit", options: options, summary: "Edit the settings in an editor.",
            discussion:
                "Opens the stored values as JSON in $VISUAL, $EDITOR or vi, and stores the differences together: all of them, or "
                + "none. The value of a setting that you leave out is removed. If the text cannot be stored, or another program has "
                + "changed one of these settings meanwhile, the editor opens again with the reason on top. To give up, close the "
                + "editor without a change. " + discussion
        ) { program, invocation, streams in
            try program.withSettings(invocation, streams, for: .writing) { try program.edit($0, streams) }
        }
    }
}

extension CommandProgram {
    fileprivate func edit(_ settings: Settings, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        if settings.isDamaged {
            throw CommandFailure.failure(
                "The store is damaged, and what is missing in the text would be removed. Nothing was changed. Look at what doctor says."
            )
        }
        let start = try settings.edited()
        // The values that the text is about to replace, as far as the person knows them.
        var known = start.known
        var text = JSONText.object(start.shown).indented + "\n"
        let original = try members(in: text)
        let interruption = Interruption()
        defer { interruption.end() }
        let file = try EditedFile()
        defer { file.remove() }
        var problem: String?
        while true {
            let edited = try file.edit(
                text, under: problem.map { "Not stored: \($0)" } ?? "The stored values. What you leave out is removed.",
                interruption)
            if edited == text {
                if let problem { throw CommandFailure.failure("Nothing was stored. \(problem)") }
                try streams.print("Nothing changes.\n")
                return .success
            }
            text = edited
            let values: [EditedValue]
            let changes: [Settings.Change]
            let isStored: Bool
            do {
                let new = try members(in: text)
                values = Set(original.keys).union(new.keys).sorted().compactMap { name in
                    original[name] == new[name] ? nil : (name, new[name])
                }
                changes = try settings.changes(values)
                isStored = try changes.isEmpty || settings.store(changes, over: known)
            } catch let failure as CommandFailure {
                problem = failure.message
                continue
            } catch let error as SettingsError {
                problem = message(for: error)
                continue
            }
            if isStored {
                try settings.bringUpToDate()
                try settings.show(changes, asJSON: false, streams)
                return .success
            }
            let present = try settings.edited().known
            let names = values.map(\.name).filter { present[$0] != known[$0] }
            known = present
            problem =
                "another program has changed \(names.map(quoted).joined(separator: ", ")) meanwhile. Save again to replace that."
        }
    }

    private func members(in text: String) throws(CommandFailure) -> [String: Data] {
        do throws(SettingsFileProblem) {
            return try JSONMembersFile.members(of: Data(text.utf8))
        } catch {
            var problem = error
            problem.line = error.line.map { $0 + EditedFile.headerLines }
            throw .failure("\(problem)")
        }
    }
}
