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
        let path = invocation.operands.first ?? "-"
        let format = try format(invocation, path)
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
}

extension OpenedStore {
    /// - Throws: A failure if the path is the store's file, or is in its directory.
    func requireForeignFile(at path: String) throws {
        let own: String? =
            switch place {
            case .app, .file: (store as? PropertyListStore)?.path
            case .sqlite(let path, _), .shared(let path, _): path
            case .etcd: nil
            }
        let fileSystem = POSIXFileSystem()
        guard let own = try own.flatMap({ try fileSystem.status(of: $0, followingLink: true) }) else { return }
        for place in [path, WholeFile.split(path).directory] {
            if try fileSystem.status(of: place, followingLink: true)?.isSameFile(as: own) == true {
                throw CommandFailure.failure(
                    "\(quoted(path)) belongs to the store itself, and was not replaced. Name another file.")
            }
        }
    }
}
