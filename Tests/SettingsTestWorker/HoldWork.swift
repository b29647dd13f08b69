import Foundation
import SettingsKitCore
@testable import SettingsKitFiles
@testable import SettingsKitPlatform
import SettingsSQLite

/// Has the files of a store locked, as a process that is stopped in the middle of a write.
enum HoldWork {
    static func hold(_ path: String) throws {
        switch URL(fileURLWithPath: path) {
        case let url where url.pathExtension == "sqlite":
            DatabaseWork.run { try await hold(database: url) }
        case let url where url.lastPathComponent == "shared":
            try hold(lock: DirectoryLocation(directory: path, state: path + "-state").statePath + "-lock")
        default: try hold(lock: path + "-lock")
        }
    }

    private static func hold(lock path: String) throws -> Never {
        let system = POSIXFileSystem()
        var lock = LogLock(path: path)
        while try !lock.acquire(in: system) { usleep(1_000) }
        stop()
        lock.release(in: system)
        while true { pause() }
    }

    private static func hold(database url: URL) async throws {
        try await SQLiteStorage(at: url).write { _ in stop() }
        while true { sleep(1_000) }
    }

    private static func stop() {
        say("locked")
        // Stops this thread at once: of a signal to the process, another thread may learn first.
        raise(SIGSTOP)
    }
}
