import SettingsCommandLine
import SettingsKit
import SettingsSQLite

/// What is wrong with the store that arguments name. Nothing is locked or written.
struct StoreInspection: Sendable {
    let place: StoreArguments.Place
    private(set) var findings: [StoreFinding] = []
    /// The property lists with their journals that a repair may change: the store itself, or the local state.
    private(set) var list: PropertyListInspection?

    /// - Throws: A failure if there is no store; the system's error for the path.
    init(_ place: StoreArguments.Place) throws {
        self.place = place
        switch place {
        case .app(let name):
            try inspect(PropertyListStore.path(forName: name), what: "The program \(quoted(name)) has no settings here")
        case .file(let path): try inspect(path, what: "There is no property list")
        case .shared(let path, let state):
            let directory = try Self.directory(path, state: state)
            let list = try PropertyListInspection(path: directory.statePath, in: POSIXFileSystem(), now: Self.now)
            self.list = list.isMissing ? nil : list
            findings = (list.isMissing ? [] : list.findings) + directory.findings
        case .sqlite(let path, let table):
            guard try POSIXFileSystem().status(of: path, followingLink: true) != nil else {
                throw CommandFailure.failure("There is no database: \(path) is missing. Check the path.")
            }
            findings = SQLiteStore.findings(path: path, table: table)
        case .etcd:
            // A cluster repairs itself. Only whether it answers can be inspected; opening throws if it does not.
            _ = try OpenedStore(StoreArguments(place), for: .reading)
        }
    }

    private mutating func inspect(_ path: String, what: String) throws {
        let list = try PropertyListInspection(path: path, in: POSIXFileSystem(), now: Self.now)
        guard !list.isMissing else { throw CommandFailure.failure("\(what): \(path) is missing. Check the name.") }
        self.list = list
        findings = list.findings
    }

    /// - Throws: A failure if the directory is missing or not a directory; the system's error.
    static func directory(_ path: String, state: String?) throws -> DirectoryInspection {
        let fileSystem = POSIXFileSystem()
        guard let status = try fileSystem.status(of: path, followingLink: true) else {
            throw CommandFailure.failure("There is no shared directory: \(path) is missing. Is it mounted?")
        }
        guard status.kind == .directory else {
            throw CommandFailure.failure("\(path) is not a directory. Name the directory that devices share.")
        }
        return try DirectoryInspection(
            directory: absolute(path), state: state.map(absolute), in: fileSystem, now: now * 1_000)
    }

    private static func absolute(_ path: String) -> String { URL(filePath: path, directoryHint: .isDirectory).path }

    /// The machine's time, in seconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
