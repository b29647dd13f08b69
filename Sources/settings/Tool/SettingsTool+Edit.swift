import SettingsCommandLine
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var edit: Self {
        Self(
            name: "edit", options: [.force], summary: "Edit the settings of a store in an editor.",
            discussion:
                "Opens all settings as JSON in $VISUAL, $EDITOR or vi, and stores the differences together: all of them, or none. "
                + "A setting that you leave out is removed. If the text cannot be stored, or another program has changed one of "
                + "these settings meanwhile, the editor opens again with the reason on top. To give up, close the editor without "
                + "a change. The kind of a value stays; set changes it."
        ) { tool, invocation, streams in
            try tool.withSettings(invocation, streams, for: .writing) { try tool.edit($0, streams) }
        }
    }
}

extension SettingsTool {
    fileprivate func edit(_ opened: OpenedStore, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        if opened.isDamaged {
            throw CommandFailure.failure(
                "\(opened.description) is damaged, and what is missing in the text would be removed. Nothing was changed. "
                    + "settings doctor says what to do.")
        }
        let original = try opened.contents()
        // The values that the text is about to replace, as far as the person knows them.
        var known = original.values
        let interruption = Interruption()
        defer { interruption.end() }
        let file = try EditedFile()
        defer { file.remove() }
        var text = JSONTransfer.text(of: original.values)
        var problem: String?
        while true {
            let edited = try file.edit(
                text,
                under: problem.map { "Not stored: \($0)" }
                    ?? "The settings of \(opened.description). A setting that you leave out is removed.", interruption)
            if edited == text {
                if let problem { throw CommandFailure.failure("Nothing was stored. \(problem)") }
                try streams.print("Nothing changes.\n")
                return .success
            }
            text = edited
            do {
                let changes = StoredDifference.list(from: original, to: try settings(inEdited: text, over: original))
                if try store(changes, over: known, in: opened) {
                    try opened.bringUpToDate()
                    try changes.print(streams, asJSON: false)
                    return .success
                }
                let present = try opened.contents().values
                let names = changes.map(\.name).filter { present[$0] != known[$0] }
                known = present
                problem =
                    "another program has changed \(names.map(quoted).joined(separator: ", ")) meanwhile. Save again to replace that."
            } catch let failure as CommandFailure {
                problem = failure.message
            } catch let error as SettingsError {
                problem = message(for: error)
            }
        }
    }

    /// Reads the edited text.
    ///
    /// - Throws: A failure if it is not JSON, has a name that no setting can have, or a value of another kind.
    private func settings(inEdited text: String, over original: StoredSettings) throws(CommandFailure) -> StoredSettings
    {
        let found: TransferredSettings
        do throws(TransferProblem) {
            found = try JSONTransfer.read(Data(text.utf8))
        } catch {
            var problem = error
            problem.line = error.line.map { $0 + EditedFile.headerLines }
            throw .failure(problem.description)
        }
        if let unsupported = found.unsupported.first {
            throw .failure("\(quoted(unsupported.name)): \(unsupported.reason).")
        }
        for (name, data) in found.values.sorted(by: { $0.key < $1.key }) where original.values[name] != data {
            guard let old = original.values[name].map(UntypedValue.init)?.kind, old != .null else { continue }
            let new = UntypedValue(data).kind
            let areNumbers = [old, new].allSatisfy { [.integer, .number].contains($0) }
            if old != new && !areNumbers {
                throw .failure("\(quoted(name)): the kind of the value is \(old.rawValue), not \(new.rawValue).")
            }
        }
        return found.stored
    }

    /// Stores changes as one batch.
    ///
    /// - Returns: False, without a change, if one of the settings no longer has the known value.
    private func store(
        _ changes: [StoredDifference], over known: [String: Data], in opened: OpenedStore
    ) throws -> Bool {
        if changes.isEmpty { return true }
        return try opened.store.apply(
            SettingsStoreBatch(
                writes: changes.map { .init(key: OpenedStore.key($0.name), data: $0.new) },
                expectations: changes.map { .init(key: OpenedStore.key($0.name), data: known[$0.name]) }))
    }
}

/// A text that a person edits: a file that only its owner can read, in a private directory.
private struct EditedFile {
    /// The number of lines before the text. They begin with `#`.
    static let headerLines = 2

    private let directory: String
    private var path: String { directory + "/settings.json" }

    /// - Throws: A failure if the directory cannot be created.
    init() throws(CommandFailure) {
        var template = Array((FileManager.default.temporaryDirectory.path + "/settings-edit-XXXXXX").utf8CString)
        guard let created = mkdtemp(&template) else {
            throw .failure("No file can be created in the directory for temporary files. Nothing was changed.")
        }
        directory = String(cString: created)
    }

    /// Removes the file, and what the editor has left beside it.
    func remove() { try? FileManager.default.removeItem(atPath: directory) }

    /// Opens an editor with a text under a line, and waits until the editor ends.
    ///
    /// - Returns: The text, without the lines at its beginning that begin with `#`.
    /// - Throws: A failure if the editor fails, a signal arrives, or the text is not UTF-8.
    func edit(_ text: String, under line: String, _ interruption: Interruption) throws -> String {
        let line = TextLayout.escaped(line.split(separator: "\n").joined(separator: " "))
        let whole = "# \(line)\n# Close the editor without a change to give up.\n\(text)"
        try? FileManager.default.removeItem(atPath: path)
        let isWritten = FileManager.default.createFile(
            atPath: path, contents: Data(whole.utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten else {
            throw CommandFailure.failure("The file for the editor cannot be written. Nothing was changed.")
        }
        try runEditor(interruption)
        guard let data = FileManager.default.contents(atPath: path),
            let edited = String(validating: data, as: UTF8.self)
        else {
            throw CommandFailure.failure("The edited file is missing, or is not text in UTF-8. Nothing was changed.")
        }
        var rest = edited[...]
        while rest.first == "#" { rest = rest.drop { !$0.isNewline }.dropFirst() }
        return String(rest)
    }

    private func runEditor(_ interruption: Interruption) throws(CommandFailure) {
        let names: [String] = ["VISUAL", "EDITOR"]
        let variables = names.compactMap { (name: String) in getenv(name).map { String(cString: $0) } }
        let editor = variables.first { !$0.isEmpty } ?? "vi"
        // The variable may have arguments.
        let words: [String] = ["/bin/sh", "-c", "exec \(editor) \"$@\"", editor, path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var (process, status) = (pid_t(), Int32(0))
        guard posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ) == 0 else {
            throw .failure("The editor cannot be started. Nothing was changed.")
        }
        while waitpid(process, &status, WNOHANG) == 0 {
            if interruption.hasArrived {
                kill(process, SIGTERM)
                waitpid(process, &status, 0)
            } else {
                usleep(20_000)
            }
        }
        if interruption.hasArrived { throw .failure("Editing was interrupted. Nothing was changed.") }
        guard status == 0 else {
            throw .failure("The editor \(quoted(editor)) has failed. Nothing was changed. Set EDITOR to another one.")
        }
    }
}
