import Foundation
import SettingsKitCore
@testable import SettingsKitFiles
@testable import SettingsKitPlatform
import SettingsSQLite

/// Has the files of a store locked, as a process that is stopped in the middle of a write.
enum HoldWork {
    static func hold(_ path: String, writes: [(name: String, value: String)]) throws {
        let batch = SettingsStoreBatch(
            writes: writes.map { .init(key: .init($0.name, scope: .defaults), data: Data($0.value.utf8)) })
        switch URL(fileURLWithPath: path) {
        case let url where url.pathExtension == "sqlite":
            DatabaseWork.run { try await hold(database: url, writes) }
        case let url where url.lastPathComponent == "shared":
            let directory = try ReplicatedDirectory(
                at: DirectoryLocation(directory: path, state: path + "-state"), fileSystem: POSIXFileSystem(),
                options: .init(), isWatching: false, now: ReplicatedDirectory.systemTime)
            try hold(directory.state.list) { _ = try directory.apply(batch) }
        default:
            let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
            try hold(store.list) { _ = try store.apply(batch) }
        }
    }

    private static func hold(_ list: JournaledPropertyList, _ write: () throws -> Void) throws -> Never {
        let system = POSIXFileSystem()
        // This opens the lock's file.
        try list.files.updateLocked(waiting: .seconds(60)) { _ in }
        while try !list.files.withLock({ try $0.lock.acquireOpen(in: system) }) { usleep(1_000) }
        stop()
        // This has the lock already, and releases it.
        try write()
        list.files.withLock { $0.lock.unlock(in: system) }
        while true { pause() }
    }

    private static func hold(database url: URL, _ writes: [(name: String, value: String)]) async throws {
        let storage = try SQLiteStorage(at: url)
        try await storage.write { database in
            stop()
            for (name, value) in writes {
                try database.execute(
                    sql: """
                        INSERT INTO settings (name, value) VALUES (\(name), \(value))
                        ON CONFLICT (name) DO UPDATE SET value = excluded.value
                        """)
            }
        }
        while true { sleep(1_000) }
    }

    private static func stop() {
        say("locked")
        // Stops this thread at once: of a signal to the process, another thread may learn first.
        raise(SIGSTOP)
    }
}
