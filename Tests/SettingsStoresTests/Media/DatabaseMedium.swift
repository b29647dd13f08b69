import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

struct DatabaseMedium: StoreMedium {
    let path: String

    init(in directory: String) { path = directory + "/Vault.sqlite" }

    static func open(at url: URL, access: SettingsStoreAccess, patience: Duration) throws -> any SettingsStore {
        try SQLiteStore(at: url, access: access, patience: patience)
    }

    func fresh() throws -> any SettingsStore { try SQLiteStore(path: path, isWatching: false) }

    func independent() throws -> any SettingsStore {
        try SQLiteStore(path: path, isWatching: true, patience: .seconds(60))
    }

    func openBreakable() throws -> any SettingsStore {
        try SQLiteStore(path: path, isWatching: true, patience: .milliseconds(100))
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
