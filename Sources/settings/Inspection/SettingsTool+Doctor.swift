import SettingsCommandLine
import SettingsKit
import SettingsSQLite

extension Subcommand where Program == SettingsTool {
    static var doctor: Self {
        Self(
            name: "doctor", options: [.json],
            summary: "Report what is wrong with a store, and what to do.",
            discussion:
                "It inspects the files, their permissions, links, logs, clocks, files that crashes and syncers have "
                + "left, and the integrity of a database. It writes nothing. The exit code is 3 if there are "
                + "problems; notes do not count."
        ) { tool, invocation, streams in
            let findings = try tool.findings(of: tool.place(invocation))
            do {
                try tool.show(findings, asJSON: invocation.has(.json), streams)
            } catch is CommandStreams.Closed {
                // The exit code reports problems even if the output is closed early.
            }
            return findings.contains(where: \.isProblem) ? .problems : .success
        }
    }
}

extension SettingsTool {
    /// Asks a store for its findings. Nothing is locked or written.
    ///
    /// - Throws: A failure if there is no store; the system's error for the path.
    fileprivate func findings(of place: StorePlace) throws -> [StoreFinding] {
        switch place {
        case .app(let name):
            return try findings(
                path: PropertyListStore.path(forName: name), "The program \(quoted(name)) has no settings here")
        case .file(let path): return try findings(path: path, "There is no property list")
        case .shared(let path, let state):
            return try DirectoryStore.findings(
                directory: Self.sharedDirectory(path), state: state.map(Self.absolute))
        case .sqlite(let path, let table):
            guard try POSIXFileSystem().status(of: path, followingLink: true) != nil else {
                throw CommandFailure.failure("There is no database: \(path) is missing. Check the path.")
            }
            return SQLiteStore.findings(path: path, table: table)
        case .etcd:
            // A cluster repairs itself. Only whether it answers can be inspected; opening throws if it does not.
            _ = try OpenedStore(place, for: .reading)
            return []
        }
    }

    private func findings(path: String, _ missing: String) throws -> [StoreFinding] {
        if let findings = try PropertyListStore.findings(path: path) { return findings }
        throw CommandFailure.failure("\(missing): \(path) is missing. Check the name.")
    }

    /// The absolute path of an existing directory.
    ///
    /// - Throws: A failure if the directory is missing or not a directory; the system's error.
    static func sharedDirectory(_ path: String) throws -> String {
        guard let status = try POSIXFileSystem().status(of: path, followingLink: true) else {
            throw CommandFailure.failure("There is no shared directory: \(path) is missing. Is it mounted?")
        }
        guard status.kind == .directory else {
            throw CommandFailure.failure("\(path) is not a directory. Name the directory that devices share.")
        }
        return absolute(path)
    }

    static func absolute(_ path: String) -> String { URL(filePath: path, directoryHint: .isDirectory).path }

    fileprivate func show(_ findings: [StoreFinding], asJSON isJSON: Bool, _ streams: CommandStreams) throws {
        if isJSON {
            let object = JSONText.object([("findings", .array(findings.map(\.json)))])
            return try streams.print(object.indented + "\n")
        }
        for finding in findings {
            let name = finding.isProblem ? "Problem" : "Note"
            try streams.print("\(name): \(TextLayout.escaped(finding.path))\n")
            let text = finding.advice.isEmpty ? finding.message : "\(finding.message) \(finding.advice)"
            for line in TextLayout.wrapped(TextLayout.escaped(text), to: streams.width - 2) {
                try streams.print("  \(line)\n")
            }
        }
        if !findings.contains(where: \.isProblem) { try streams.print("No problems.\n") }
    }
}

extension StoreFinding {
    var isProblem: Bool { severity == .problem }

    /// The finding as an object.
    var json: JSONText {
        var members: [(name: String, value: JSONText)] = [
            ("kind", .string(kind.rawValue)), ("severity", .string(severity.rawValue)), ("path", .string(path)),
            ("message", .string(message)),
        ]
        if !advice.isEmpty { members.append(("advice", .string(advice))) }
        return .object(members)
    }
}
