import Foundation
import SettingsKit

extension Benchmark {
    /// Rows 16 and 17: changes that survive a power failure, compared with the same through SQLite.
    static func durableWrites() throws -> [Benchmark] {
        let (settings, database) = (try Writer(keyCount: 10).settings, try DurableDatabase(keyCount: 10))
        return try [10, 10_000, 100_000].map { count in
            let (writer, database) = (try Writer(keyCount: count), try DurableDatabase(keyCount: count))
            return Benchmark(
                16, "set and synchronize beside \(count) settings", .atMost(1.5),
                Yardstick("SQLite, WAL, FULL", database.set), iterations: 200, writer.setAndSynchronize)
        } + [
            Benchmark(
                17, "set and synchronize on eight threads", .atLeast(1.5),
                Yardstick("SQLite, WAL, FULL, on eight") { count in onThreads(8, count) { _ = database.set($1) } },
                iterations: 100
            ) { count in
                onThreads(8, count) { thread, count in
                    let setting = Setting<Int>("number \(thread)", in: .defaults, default: 0)
                    _ = repeating(count) {
                        settings.update(setting) { $0 += 1 }
                        try settings.synchronize()
                    }
                }
            }
        ]
    }
}

/// A table of settings. Each change is on the disk when its call returns. Threads take turns with one connection: with one each, they
/// would wait for SQLite's lock with pauses of milliseconds.
private final class DurableDatabase: Sendable {
    private struct Connection {
        let upsert: PlainStatement
        var number = 0
    }

    private let connection: Locked<Connection>

    init(keyCount: Int) throws {
        let database = PlainDatabase(try TemporaryFolder()["Settings.sqlite"])
        database.makeSettings(count: keyCount)
        database.execute("PRAGMA synchronous = FULL")
        connection = Locked(Connection(upsert: database.statement(PlainDatabase.upsert)))
    }

    func set(_ count: Int) -> Double {
        repeating(count) {
            connection.mutex.withLock { connection in
                connection.number += 1
                connection.upsert.run("number", "\(connection.number)")
            }
        }
    }
}
