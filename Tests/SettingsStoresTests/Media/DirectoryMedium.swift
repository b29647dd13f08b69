import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

struct DirectoryMedium: StoreMedium {
    let path: String
    private let fileSystem = FaultyFileSystem()

    init(in directory: String) { path = directory + "/shared" }

    private var state: String { path + "-state" }

    static func open(at url: URL, access: SettingsStoreAccess, patience: Duration) throws -> any SettingsStore {
        var options = DirectoryStore.Options()
        options.patience = patience
        let state = url.deletingLastPathComponent().appendingPathComponent(url.lastPathComponent + "-state")
        return try DirectoryStore(at: url, state: state, options: options, access: access)
    }

    func fresh() throws -> any SettingsStore { try fresh(state: state) }

    func elsewhere() throws -> any SettingsStore { try fresh(state: path + "-elsewhere") }

    private func fresh(state: String) throws -> DirectoryStore {
        try DirectoryStore(directory: path, state: state, fileSystem: POSIXFileSystem())
    }

    func independent() throws -> any SettingsStore {
        var options = DirectoryStore.Options()
        options.patience = .seconds(60)
        return try DirectoryStore(
            directory: path, state: state, fileSystem: POSIXFileSystem(), options: options, isWatching: true)
    }

    func openBreakable() throws -> any SettingsStore {
        try DirectoryStore(directory: path, state: state, fileSystem: fileSystem)
    }

    func makeUnwritable() -> Repair { fileSystem.makeUnwritable() }

    // The local truth. The directory that is shared may come and go.
    private var statePath: String { state + "/State.plist" }

    func makeUnreadable() throws -> Repair { try SettingsTestSupport.makeUnreadable(statePath) }

    func lock() throws -> Repair { try lock(propertyListAt: statePath) }

    func check() throws {
        let store = try fresh(state: state)
        #expect(store.replicas.map(\.isOwn) == [true])
        #expect(store.report.problems.isEmpty)
    }
}
