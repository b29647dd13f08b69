import SettingsCommandLine
import SettingsKit

extension Subcommand where Program == SettingsTool {
    static var export: Self {
        Self(
            name: "export", operands: "[FILE]", operandCount: 0...1, options: [.format],
            summary: "Write all settings to a file, or print them.",
            discussion:
                "The formats are plist and json (the default). From both, import restores exactly the same bytes. A file is replaced as a whole; a new one can be read by its owner only. If the store is damaged, its "
                + "intact part is exported, and the exit code is 1."
        ) { tool, invocation, streams in
            try tool.export(invocation, streams)
        }
    }
}

extension SettingsTool {
    fileprivate func export(_ invocation: Invocation, _ streams: CommandStreams) throws -> SettingsCommand.ExitCode {
        let path = try invocation.operands.isEmpty ? "-" : invocation.text(0)
        let format = try exportFormat(invocation, path)
        return try withSettings(invocation, streams, for: .reading) { opened in
            let settings = try opened.contents()
            let text = try format.text(of: settings)
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
}

extension OpenedStore {
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
            return ["", "-log", "-lock"].map { CompanionName.path(beside: path, suffix: $0) }
        case .sqlite(let path, _): return ["", "-wal", "-shm", "-journal"].map { path + $0 }
        case .shared(let path, let state): return [path] + (state.map { [$0] } ?? [])
        case .etcd: return []
        }
    }
}
