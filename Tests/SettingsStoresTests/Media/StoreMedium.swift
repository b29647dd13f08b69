import Foundation
import SettingsKitCore
import SettingsKitPlatform
import Testing

/// The stores that the suites of this target run over.
enum StoreKind: String, CaseIterable, Codable, CustomTestStringConvertible {
    case propertyList, sharedDirectory, database

    /// The kinds that keep files of their own.

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
    func open(
        at url: URL, access: SettingsStoreAccess = .readWrite, patience: Duration = .seconds(3)
    ) throws -> any SettingsStore {
        try type.open(at: url, access: access, patience: patience)
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

    /// Opens the store as another process does: with nothing in memory, and without a watch.
    func fresh() throws -> any SettingsStore

    /// Opens the store without local state, as another device opens a shared directory.
    func elsewhere() throws -> any SettingsStore

    /// Opens the store as every program does, but with a memory of its own, as in another process. Its writes wait for a minute.
    func independent() throws -> any SettingsStore

    /// Opens the store so that ``makeUnwritable()`` has it fail.
    func openBreakable() throws -> any SettingsStore

    /// Has the files of a store from ``openBreakable()`` refuse every change.
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

    func elsewhere() throws -> any SettingsStore { try fresh() }

    /// Locks the journal of a property list.
    func lock(propertyListAt path: String) throws -> Repair {
        let system = POSIXFileSystem()
        let file = try system.openOrCreate(path + "-lock").file
        try #require(try system.lock(file, waiting: .seconds(60)))
        return { system.close(file) }
    }
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

    func text(_ name: String) throws -> String? {
        try get(key(name)).map { String(decoding: $0, as: UTF8.self) }
    }
}
