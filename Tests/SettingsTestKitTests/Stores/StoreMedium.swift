import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import SettingsSQLite
import Testing

/// The stores that the suites of this folder run over.
enum StoreKind: String, CaseIterable, Codable, CustomTestStringConvertible {
    case propertyList, sharedDirectory, database

    var testDescription: String { rawValue }

    private var type: any StoreMedium.Type {
        switch self {
        case .propertyList: PropertyListMedium.self
        case .sharedDirectory: DirectoryMedium.self
        case .database: DatabaseMedium.self
        }
    }

    /// A medium in a directory, with nothing in it yet.
    func medium(in directory: String) -> any StoreMedium { type.init(in: directory) }

    /// Runs `body` with a medium in a directory of its own.
    func withMedium(_ body: (any StoreMedium) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await body(medium(in: $0)) }
    }

    /// Opens the store at a URL as every program does.
    func open(at url: URL) throws -> any SettingsStore {
        try type.open(at: url, access: .readWrite, patience: .seconds(3))
    }
}

/// Files in which a store keeps its settings, and what can happen to them.
protocol StoreMedium: Sendable {
    typealias Repair = @Sendable () throws -> Void

    init(in directory: String)

    /// The path of the store, as programs and `settings-test-worker` open it.
    var path: String { get }

    /// Opens the store at a URL as every program does.
    static func open(at url: URL, access: SettingsStoreAccess, patience: Duration) throws -> any SettingsStore

    /// Opens the store as another process does: with nothing in memory.
    func fresh(isWatching: Bool, patience: Duration) throws -> any SettingsStore

    /// Opens the store without local state, as another device opens a shared directory.
    func elsewhere() throws -> any SettingsStore

    /// Has the files of a store from ``fresh(isWatching:patience:)`` refuse every change.
    func makeUnwritable() throws -> Repair

    /// Has the settings' file become unreadable.
    func makeUnreadable() throws -> Repair

    /// Locks the files, as another program does while it writes.
    func lock() throws -> Repair

    /// Fails unless the files are whole.
    func check() throws
}

extension StoreMedium {
    func open(access: SettingsStoreAccess = .readWrite, patience: Duration = .seconds(3)) throws -> any SettingsStore {
        try Self.open(at: URL(fileURLWithPath: path), access: access, patience: patience)
    }

    func fresh() throws -> any SettingsStore { try fresh(isWatching: false, patience: .seconds(3)) }

    func elsewhere() throws -> any SettingsStore { try fresh() }

    /// Locks the log of a property list.
    fileprivate func lock(besides path: String) throws -> Repair {
        let system = POSIXFileSystem()
        let file = try system.openOrCreate(path + "-lock").file
        try #require(try system.lock(file, waiting: .seconds(60)))
        return { system.close(file) }
    }
}

private struct PropertyListMedium: StoreMedium {
    let path: String
    private let fileSystem = FaultyFileSystem()

    init(in directory: String) { path = directory + "/Settings.plist" }

    static func open(at url: URL, access: SettingsStoreAccess, patience: Duration) throws -> any SettingsStore {
        try PropertyListStore(url: url, access: access, patience: patience)
    }

    func fresh(isWatching: Bool, patience: Duration) throws -> any SettingsStore {
        try PropertyListStore(
            path: path, fileSystem: fileSystem, isWatching: isWatching, writingDelay: .milliseconds(5),
            patience: patience, lag: .zero)
    }

    func makeUnwritable() -> Repair { fileSystem.makeUnwritable() }

    func makeUnreadable() throws -> Repair {
        // Without the list, the log has all values.
        let hasList = FileManager.default.fileExists(atPath: path)
        let repairs = try ((hasList ? [path] : []) + [path + "-log"]).map(SettingsTestSupport.makeUnreadable)
        return { for repair in repairs { try repair() } }
    }

    func lock() throws -> Repair { try lock(besides: path) }

    func check() throws {
        // Only what has been printed is in the property list.
        if FileManager.default.fileExists(atPath: path) { _ = try PropertyListReader.readDictionary(bytes(of: path)) }
    }
}

private struct DirectoryMedium: StoreMedium {
    let path: String
    private let fileSystem = FaultyFileSystem()

    init(in directory: String) { path = directory + "/shared" }

    static func open(at url: URL, access: SettingsStoreAccess, patience: Duration) throws -> any SettingsStore {
        var options = DirectoryStore.Options()
        options.patience = patience
        let state = url.deletingLastPathComponent().appendingPathComponent(url.lastPathComponent + "-state")
        return try DirectoryStore(at: url, state: state, options: options, access: access)
    }

    func fresh(isWatching: Bool, patience: Duration) throws -> any SettingsStore {
        var options = DirectoryStore.Options()
        options.patience = patience
        return try DirectoryStore(
            directory: path, state: path + "-state", fileSystem: fileSystem, options: options, isWatching: isWatching)
    }

    func elsewhere() throws -> any SettingsStore {
        try DirectoryStore(directory: path, state: path + "-elsewhere", fileSystem: POSIXFileSystem())
    }

    func makeUnwritable() -> Repair { fileSystem.makeUnwritable() }

    // The local truth. The directory that is shared may come and go.

    func makeUnreadable() throws -> Repair { try SettingsTestSupport.makeUnreadable(path + "-state/State-log") }

    func lock() throws -> Repair { try lock(besides: path + "-state/State") }

    func check() throws {
        let store = try DirectoryStore(directory: path, state: path + "-state", fileSystem: POSIXFileSystem())
        #expect(store.replicas.map(\.isOwn) == [true])
        #expect(store.report.problems.isEmpty)
    }
}

private struct DatabaseMedium: StoreMedium {
    let path: String

    init(in directory: String) { path = directory + "/Vault.sqlite" }

    static func open(at url: URL, access: SettingsStoreAccess, patience: Duration) throws -> any SettingsStore {
        try SQLiteStore(at: url, access: access, patience: patience)
    }

    func fresh(isWatching: Bool, patience: Duration) throws -> any SettingsStore {
        try SQLiteStore(path: path, isWatching: isWatching, patience: patience)
    }

    /// Has the database refuse every change of its settings.
    func makeUnwritable() throws -> Repair {
        let events = ["INSERT", "UPDATE", "DELETE"]
        for event in events {
            try OtherProgram(path).run(
                "CREATE TRIGGER \(event)s BEFORE \(event) ON settings BEGIN SELECT RAISE(ABORT, 'refused'); END")
        }
        return { for event in events { try OtherProgram(path).run("DROP TRIGGER \(event)s") } }
    }

    func makeUnreadable() throws -> Repair { try SettingsTestSupport.makeUnreadable(path) }

    func lock() throws -> Repair {
        let other = Mutex<OtherProgram?>(try OtherProgram(path))
        try other.withLock { _ = try $0?.run("BEGIN IMMEDIATE") }
        return {
            try other.withLock { program in
                try program?.run("ROLLBACK")
                program = nil
            }
        }
    }

    func check() throws { #expect(try OtherProgram(path).text("PRAGMA integrity_check") == "ok") }
}

extension SettingsStore {
    /// The values in `.defaults`, as texts.
    var texts: [String: String] {
        get throws {
            var texts: [String: String] = [:]
            for name in try keys() { texts[name] = try text(name) }
            return texts
        }
    }

    func text(_ name: String) throws -> String? { try get(key(name)).map { String(decoding: $0, as: UTF8.self) } }
}

extension SettingsService {
    /// A service whose `.defaults` are in `store`, and its problems.
    static func over(_ store: any SettingsStore) -> (service: SettingsService, problems: Recorder<SettingsError>) {
        let problems = Recorder<SettingsError>()
        return (SettingsService(stores: [.defaults: store], diagnosticSink: .init { problems.append($0) }), problems)
    }
}
