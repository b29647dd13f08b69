import SettingsCommandLine
import SettingsKit

extension CommandOption {
    fileprivate static let format = CommandOption(
        "--format", value: "FORMAT",
        "plist, json or env; for import also dconf. By default, the file's extension or contents say.")
    fileprivate static let variablePrefix = CommandOption(
        "--variable-prefix", value: "TEXT", "The beginning of the variables in an environment file.")
    fileprivate static let below = CommandOption(
        "--below", value: "TEXT", "Import only the names that begin with this text, and without it.")
    static let replace = CommandOption("--replace", "Remove the settings that the source does not have.")
    static let allowEmpty = CommandOption(
        "--allow-empty", "Accept a source without settings. With --replace, it removes all.")
    fileprivate static let skipUnsupported = CommandOption(
        "--skip-unsupported", "Leave out what cannot be imported, instead of importing nothing.")
    fileprivate static let namesOnly = CommandOption("--names-only", "Show the names, and no values.")
}

extension Subcommand where Program == SettingsTool {
    static var export: Self {
        Self(
            name: "export", operands: "[FILE]", operandCount: 0...1, options: [.format, .variablePrefix],
            groups: Program.settingsOptions, completes: .files,
            summary: "Write all settings to a file, or print them.",
            discussion:
                "The formats are plist, json (the default) and env. From each of them, import restores exactly the same "
                + "bytes. A file is replaced as a whole; a new one can be read by its owner only. If the store is damaged, its "
                + "intact part is exported, and the exit code is 1."
        ) { tool, invocation, streams in
            try tool.export(invocation, streams)
        }
    }

    static var `import`: Self {
        .import(
            options: [.replace, .allowEmpty, .format, .variablePrefix, .skipUnsupported, .force, .json],
            summary: "Store the settings of a file.",
            discussion:
                "A file that cannot be read in full changes nothing. Settings that the file does not have stay, unless --replace "
                + "is given. Up to \(OpenedStore.batchSize) changes are stored together: all of them, or none. More are stored in "
                + "several batches; if that ends early, the same command goes on with what is missing. Prints a line for each "
                + "setting that changes."
        ) { tool, invocation, streams in
            try tool.differences(invocation, streams, formats: TransferFormat.allCases)
        }
    }

    static var importDefaults: Self {
        .import(
            name: "import-defaults",
            options: [.replace, .allowEmpty, .format, .below, .skipUnsupported, .force, .json],
            summary: "Store the settings of a UserDefaults plist, of defaults export, or of dconf dump.",
            discussion: "It works as import does. The contents say which of them it is. A dump's settings are named "
                + "org/gnome/desktop/interface/clock-format; with --below org/gnome/desktop/interface/ it is clock-format."
        ) { tool, invocation, streams in
            try tool.differences(invocation, streams, formats: [.plist, .dconf])
        }
    }

    static var diff: Self {
        Self(
            name: "diff", operands: "[FILE]", operandCount: 0...1,
            options: [.namesOnly, .json, .format, .variablePrefix],
            groups: [
                StoreArguments.options(),
                StoreArguments.options(
                    prefix: "with-", title: "The second store, in the place of FILE:", placeholder: "[SECOND STORE]"),
            ], completes: .files, summary: "Compare two stores, or a store and an export.",
            discussion:
                "Prints a line for each setting that differs: + only the second has it, - only the first has it, ~ both "
                + "have it. The exit code is 3 if there are any."
        ) { tool, invocation, streams in
            try tool.diff(invocation, streams)
        }
    }
}

extension SettingsTool {
    // MARK: Exporting

    fileprivate func export(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let path = try invocation.operands.isEmpty ? "-" : invocation.text(0)
        let format = try exportFormat(invocation, path)
        return try withSettings(invocation, streams, for: .reading) { opened in
            let settings = try opened.contents()
            let text = try format.text(of: settings, prefix: prefix(invocation))
            if path == "-" {
                try streams.print(text)
            } else {
                try opened.requireForeignFile(at: path)
                try TransferFile.write(text, to: path)
                try streams.print("Exported \(settingCount(settings.values.count)) to \(TextLayout.escaped(path)).\n")
            }
            return opened.isDamaged ? .failure : .success
        }
    }

    private func prefix(_ invocation: Invocation) throws(CommandFailure) -> String {
        let prefix = try invocation.text(of: .variablePrefix) ?? ""
        guard prefix.unicodeScalars.allSatisfy(EnvironmentTransfer.isVariableCharacter) else {
            throw .usage("--variable-prefix is the beginning of variables: it has only letters, digits and _.")
        }
        return prefix
    }

    /// The format that an option or the extension of a path names; nil if neither does.
    private func format(
        _ invocation: Invocation, _ path: String, among formats: [TransferFormat]
    ) throws(CommandFailure) -> TransferFormat? {
        if let name = try invocation.text(of: .format) {
            if let format = TransferFormat(rawValue: name.lowercased()), formats.contains(format) { return format }
            throw .usage("--format is one of \(formats.map(\.rawValue).joined(separator: ", ")).")
        }
        return TransferFormat(path: path).flatMap { formats.contains($0) ? $0 : nil }
    }

    /// The format of an export, which is JSON if the path has no extension.
    private func exportFormat(_ invocation: Invocation, _ path: String) throws(CommandFailure) -> TransferFormat {
        let formats = TransferFormat.written
        if let format = try format(invocation, path, among: formats) { return format }
        guard !TransferFormat.hasExtension(path) else {
            let names = formats.map(\.rawValue).joined(separator: ", ")
            throw .usage("The extension of \(quoted(path)) is none of \(names). Choose one of them with --format.")
        }
        return .json
    }

    // MARK: Importing

    /// A file of settings, and its format.
    private struct Source {
        let path: String
        let data: Data
        /// Nil if the file is empty.
        let format: TransferFormat?
    }

    /// Reads a file and determines its format.
    ///
    /// - Throws: A failure if the file is in none of the formats, or empty although the options forbid that.
    private func source(
        _ invocation: Invocation, _ streams: CommandStreams, formats: [TransferFormat] = TransferFormat.allCases
    ) throws -> Source {
        let path = try invocation.text(0)
        let named = try format(invocation, path, among: formats)
        let data = try TransferFile.read(path, streams)
        if TransferFormat.isBlank(data) {
            if invocation.has(.allowEmpty) { return Source(path: path, data: data, format: nil) }
            throw CommandFailure.failure(
                "\(TransferFile.shown(path)) is empty. Nothing was changed. Check what should have written it.")
        }
        guard let format = named ?? TransferFormat(contents: data) else {
            let names = formats.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure.failure(
                "\(TransferFile.shown(path)) is in none of the formats \(names). Nothing was changed. Check the file.")
        }
        guard formats.contains(format) else {
            throw CommandFailure.failure(
                "\(TransferFile.shown(path)) is neither a property list nor what dconf dump prints. Import other files with import."
            )
        }
        return Source(path: path, data: data, format: format)
    }

    /// Reads the settings of a file.
    ///
    /// - Parameter stored: The store's settings.
    private func settings(
        in source: Source, _ invocation: Invocation, over stored: [String: Data]
    ) throws -> TransferredSettings {
        let prefix = try prefix(invocation)
        guard let format = source.format else { return TransferredSettings() }
        do throws(TransferProblem) {
            return try format.read(source.data, over: stored, prefix: prefix)
        } catch {
            throw CommandFailure.failure(
                "\(TransferFile.shown(source.path)) cannot be read as \(format.rawValue). \(error.description)")
        }
    }

    /// Returns the settings to import. Opens a store for reading, only if the format needs it.
    ///
    /// - Throws: A failure if the file cannot be imported as the options say.
    private func importedSettings(
        _ invocation: Invocation, _ streams: CommandStreams, formats: [TransferFormat]
    ) throws -> TransferredSettings {
        let source = try source(invocation, streams, formats: formats)
        var stored: [String: Data] = [:]
        if source.format == .env {
            stored = try OpenedStore(StoreArguments(invocation), for: .readingIfPresent).contents().values
        }
        var found = try settings(in: source, invocation, over: stored)
        try report(found.unsupported, invocation, streams)
        if let beginning = try invocation.text(of: .below) { found = found.removingPrefix(beginning) }
        if invocation.has(.replace) {
            try requireSettings(found.values.count, in: TransferFile.shown(source.path), invocation)
        }
        return found
    }

    /// - Throws: A failure if a source without settings would replace all others, unless the options allow it.
    func requireSettings(_ count: Int, in source: String, _ invocation: Invocation) throws(CommandFailure) {
        guard count == 0, !invocation.has(.allowEmpty) else { return }
        throw .failure(
            "\(source) has no settings, so \(CommandOption.replace.name) would remove all. Nothing was changed. "
                + "\(CommandOption.allowEmpty.name) allows this.")
    }

    fileprivate func differences(
        _ invocation: Invocation, _ streams: CommandStreams, formats: [TransferFormat]
    ) throws -> (OpenedStore) throws -> [StoredDifference] {
        let found = try importedSettings(invocation, streams, formats: formats)
        let isMerging = !invocation.has(.replace)
        return { StoredDifference.list(from: try $0.contents(), to: found.stored, isMerging: isMerging) }
    }

    private func report(
        _ unsupported: [TransferredSettings.Unsupported], _ invocation: Invocation, _ streams: CommandStreams
    ) throws {
        guard !unsupported.isEmpty else { return }
        let shown = unsupported.prefix(20).map { "\(quoted($0.name)): \($0.reason)." }
        let more = unsupported.count > shown.count ? ["and \(unsupported.count - shown.count) more."] : []
        let lines = (shown + more).joined(separator: "\n")
        if invocation.has(.skipUnsupported) && invocation.has(.replace) {
            throw CommandFailure.failure(
                "Nothing was imported. These settings cannot be imported, and --replace would remove them:\n\(lines)\n"
                    + "Import the others without --replace.")
        }
        if invocation.has(.skipUnsupported) {
            streams.report("Left out:\n\(lines)")
        } else {
            throw CommandFailure.failure(
                "Nothing was imported. These settings cannot be imported:\n\(lines)\n"
                    + "--skip-unsupported imports the others.")
        }
    }

    // MARK: Comparing

    fileprivate func diff(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let second = try StoreArguments.optional(invocation, prefix: "with-")
        guard (second == nil) != invocation.operands.isEmpty else {
            throw CommandFailure.usage("diff needs FILE or a second store, such as --with-file PATH.")
        }
        return try withSettings(invocation, streams, for: .reading) { opened in
            let old = try opened.contents()
            let new: StoredSettings
            var isDamaged = opened.isDamaged
            if let second {
                let other = try OpenedStore(second, for: .reading)
                defer { other.reportProblems(to: streams) }
                new = try other.contents()
                isDamaged = isDamaged || other.isDamaged
            } else {
                let found = try settings(in: source(invocation, streams), invocation, over: old.values)
                for setting in found.unsupported {
                    streams.report("\(quoted(setting.name)) is not compared: \(setting.reason).")
                }
                new = found.stored
            }
            let differences = StoredDifference.list(from: old, to: new)
            do {
                try differences.print(streams, asJSON: invocation.has(.json), showsValues: !invocation.has(.namesOnly))
            } catch is CommandStreams.Closed {
                // The exit code reports differences even if the output is closed early.
            }
            return isDamaged ? .failure : differences.isEmpty ? .success : .problems
        }
    }

    func settingCount(_ count: Int) -> String { count == 1 ? "1 setting" : "\(count) settings" }
}

extension TransferredSettings {
    /// The settings whose names begin with a text, without it.
    fileprivate func removingPrefix(_ beginning: String) -> TransferredSettings {
        var settings = TransferredSettings(
            stored: StoredSettings(types: stored.types.map { _ in [:] }), unsupported: unsupported)
        for (name, value) in values where name.hasPrefix(beginning) {
            let rest = String(name.dropFirst(beginning.count))
            settings.add(rest, value)
            if settings.values[rest] != nil { settings.stored.types?[rest] = stored.types?[name] }
        }
        return settings
    }
}

extension OpenedStore {
    /// All settings of the store.
    func contents() throws -> StoredSettings {
        let list = store as? PropertyListStore
        var contents = StoredSettings(types: list.map { _ in [:] })
        for name in try store.keys() {
            // A setting may have been removed meanwhile.
            contents.values[name] = try data(named: name)
            if let value = list?.nativeValue(of: name), value.hasKindOfItsOwn { contents.types?[name] = value }
        }
        return contents
    }

    /// - Throws: A failure if the path is that of a file of the store.
    func requireForeignFile(at path: String) throws {
        let fileSystem = POSIXFileSystem()
        guard let status = try fileSystem.status(of: path, followingLink: true) else { return }
        for own in ownPaths {
            guard let other = try fileSystem.status(of: own, followingLink: true) else { continue }
            // In a directory of the store, each file that is there may be one of its own.
            let directory = WholeFile.split(path).directory
            let isInside =
                try other.kind == .directory
                && fileSystem.status(of: directory, followingLink: true)?.isSameFile(as: other) ?? false
            if status.isSameFile(as: other) || isInside {
                throw CommandFailure.failure(
                    "\(quoted(path)) belongs to the store itself, and was not replaced. Name another file.")
            }
        }
    }

    /// The files of the store, and the directories that have nothing else.
    private var ownPaths: [String] {
        switch place {
        case .app, .file:
            guard let path = (store as? PropertyListStore)?.path else { return [] }
            return ["", "-journal", "-lock", "-previous"].map { CompanionName.path(beside: path, suffix: $0) }
        case .sqlite(let path, _): return ["", "-wal", "-shm", "-journal"].map { path + $0 }
        case .shared(let path, let state): return [path] + (state.map { [$0] } ?? [])
        case .etcd: return []
        }
    }
}
