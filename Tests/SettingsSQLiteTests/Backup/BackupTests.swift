import Foundation
import SettingsKitCore
import SettingsKit
import SettingsSQLite
import Testing

@Suite("Backups")
struct BackupTests {
    /// Runs `body` with a database of several megabytes, and an empty directory for its backups.
    private func withLargeStorage(
        _ options: SQLiteStorage.Options = .init(),
        _ body: (SQLiteStorage, _ backups: URL) async throws -> Void
    ) async throws {
        try await withStorage(options: options) { storage in
            try await storage.write { database in
                for id in 1...40 { try database.insert(Note(id, String(repeating: "\(id)", count: 50_000))) }
            }
            let backups = URL(fileURLWithPath: storage.path).deletingLastPathComponent().appendingPathComponent(
                "backups")
            try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: true)
            try await body(storage, backups)
        }
    }

    private func expectIntact(_ file: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let program = try OtherProgram(file.path)
        #expect(try program.text("PRAGMA integrity_check") == "ok", sourceLocation: sourceLocation)
        #expect(try program.text("PRAGMA journal_mode") == "delete", sourceLocation: sourceLocation)
    }

    @Test("A backup is one private file with everything that was committed, and opens as a storage")
    func complete() async throws {
        try await withLargeStorage { storage, backups in
            let file = backups.appendingPathComponent("deep/er/copy.sqlite")
            try await storage.backup(to: file)
            let directory = file.deletingLastPathComponent().path
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["copy.sqlite"])
            #expect(try permissions(of: file.path) == 0o600)
            try expectIntact(file)
            let copy = try SQLiteStorage(at: file, versions: [ScriptVersion("1", notesSchema.script)])
            #expect(try await copy.dump() == storage.dump())
            try await copy.write { try $0.insert(Note(99, "goes on")) }
            #expect(try await storage.read { try !$0.exists(Note.where(Column("id") == 99)) })
        }
    }

    @Test("Others write while a backup runs, without waiting; it holds one state, the one in which it began")
    func writersGoOn() async throws {
        try await withLargeStorage { storage, backups in
            let file = backups.appendingPathComponent("copy.sqlite")
            let path = storage.path
            let before = try await storage.dump()
            let steps = Recorder<SQLiteBackupProgress>()
            try await storage.backup(to: file) { progress in
                #expect(throws: Never.self) {
                    let program = try OtherProgram(path)
                    try program.run("PRAGMA busy_timeout = 0; UPDATE notes SET text = 'new' || id")
                    try program.run("INSERT INTO notes (text) VALUES ('\(progress.copiedPageCount)')")
                }
                // It is complete, or not there.
                #expect(!FileManager.default.fileExists(atPath: file.path))
                steps.append(progress)
            }
            try expectIntact(file)
            #expect(try await SQLiteStorage(at: file).dump() == before)
            #expect(try await storage.number("SELECT count(*) FROM notes") == 40 + steps.all.count)
            let copied = steps.all.map(\.copiedPageCount)
            #expect(copied.count > 1 && copied == copied.sorted() && Set(copied).count == copied.count)
            #expect(Set(steps.all.map(\.pageCount)).count == 1)
            #expect(steps.all.last?.fractionCompleted == 1 && (steps.all.first?.fractionCompleted ?? 1) < 1)
        }
    }

    @Test("A file that is there is not replaced, nor is a log beside it taken for the copy's")
    func occupied() async throws {
        try await withLargeStorage { storage, backups in
            for name in ["copy.sqlite", "copy.sqlite-wal", "copy.sqlite-journal"] {
                let occupied = backups.appendingPathComponent(name)
                try Data("old".utf8).write(to: occupied)
                await expect(.storeUnavailable, saying: "There is a file at \(occupied.resolvingSymlinksInPath().path)")
                {
                    try await storage.backup(to: backups.appendingPathComponent("copy.sqlite"))
                }
                #expect(try contents(of: backups.path) == [name: Data("old".utf8)])
                try FileManager.default.removeItem(at: occupied)
            }
            await expect(.storeUnavailable, saying: "There is a file") {
                try await storage.backup(to: URL(fileURLWithPath: storage.path))
            }
            await expect(.storeUnavailable) { try await storage.backup(to: try #require(URL(string: "https://a.b/c"))) }
            try expectIntactSource(storage)
        }
    }

    private func expectIntactSource(_ storage: SQLiteStorage) throws {
        #expect(try OtherProgram(storage.path).text("PRAGMA integrity_check") == "ok")
    }

    @Test("A file that appears while a backup runs is not replaced")
    func occupiedMeanwhile() async throws {
        try await withLargeStorage { storage, backups in
            let file = backups.appendingPathComponent("copy.sqlite")
            await expect(.storeUnavailable, saying: "There is a file") {
                try await storage.backup(to: file) { _ in
                    #expect(throws: Never.self) { try Data("other".utf8).write(to: file) }
                }
            }
            let left = try contents(of: backups.path)
            #expect(left == ["copy.sqlite": Data("other".utf8)])
        }
    }

    @Test("A backup whose task is cancelled ends soon, and leaves no file behind")
    func cancelled() async throws {
        try await withLargeStorage { storage, backups in
            let task = Guarded<Task<Void, any Error>?>(nil)
            let steps = Recorder<SQLiteBackupProgress>()
            let started = Task {
                try await storage.backup(to: backups.appendingPathComponent("copy.sqlite")) { progress in
                    steps.append(progress)
                    // It was made before it began to run, and is noted a moment later.
                    while task.withLock({ $0 == nil }) { sched_yield() }
                    task.withLock { $0?.cancel() }
                }
            }
            task.withLock { $0 = started }
            await #expect(throws: CancellationError.self) { try await started.value }
            #expect(steps.all.count == 1)
            #expect(try contents(of: backups.path) == [:])
            try await storage.backup(to: backups.appendingPathComponent("copy.sqlite"))
            #expect(try contents(of: backups.path).count == 1)
        }
    }

    @Test("A process killed during a backup leaves no copy, and its temporary files are removed later")
    func killed() async throws {
        try await withLargeStorage { storage, backups in
            let file = backups.appendingPathComponent("copy.sqlite")
            let worker = try Worker("database-backup", storage.path, file.path)
            for await line in worker.lines {
                #expect(line.hasPrefix("copied "))
                worker.send(9)
            }
            let rest = try contents(of: backups.path).keys
            #expect(rest.count == 1 && rest.allSatisfy { $0.hasPrefix(".copy.") && $0.hasSuffix(".tmp") })
            for name in rest {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -7_200)],
                    ofItemAtPath: backups.appendingPathComponent(name).path)
            }
            try await storage.backup(to: file)
            #expect(try contents(of: backups.path).keys.sorted() == ["copy.sqlite"])
            try expectIntact(file)
        }
    }

    @Test("A full disk is reported as such, and no part of the backup remains", .enabled(if: isRoot))
    func fullDisk() async throws {
        try await withLargeStorage { storage, backups in
            guard try mountSmallDisk(at: backups) else { return }
            defer { unmountDisk(at: backups) }
            let file = backups.appendingPathComponent("copy.sqlite")
            await expect(.diskFull, saying: file.lastPathComponent, not: "1010") { try await storage.backup(to: file) }
            let left = try contents(of: backups.path)
            #expect(left == [:])
        }
    }

    @Test("A directory that cannot be written is an error that names the file, and no backup")
    func noDirectory() async throws {
        try await withLargeStorage { storage, backups in
            let notADirectory = backups.appendingPathComponent("file")
            try Data("x".utf8).write(to: notADirectory)
            await expect(.writeFailed, saying: "file/copy.sqlite") {
                try await storage.backup(to: notADirectory.appendingPathComponent("copy.sqlite"))
            }
            let left = try contents(of: backups.path)
            #expect(left == ["file": Data("x".utf8)])
        }
    }

    @Test("A storage that only reads can be backed up; one whose file is gone cannot")
    func sources() async throws {
        try await withLargeStorage { storage, backups in
            var options = SQLiteStorage.Options()
            options.access = .readOnly
            let reading = try SQLiteStorage(at: URL(fileURLWithPath: storage.path), options: options)
            let file = backups.appendingPathComponent("copy.sqlite")
            try await reading.backup(to: file)
            try expectIntact(file)
            _ = try await storage.number("SELECT count(*) FROM notes")
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: storage.path + suffix)
            }
            await expect(.fileReplaced, saying: storage.path) {
                try await storage.backup(to: backups.appendingPathComponent("other.sqlite"))
            }
            #expect(try contents(of: backups.path).keys.sorted() == ["copy.sqlite"])
        }
    }

    @Test("A backup of a store holds its settings, and the other tables of the file")
    func store() async throws {
        try await withDatabase { path in
            let store = try openStore(path)
            try store.set(key("a"), to: Data("1".utf8))
            try OtherProgram(path).run("CREATE TABLE others (n); INSERT INTO others VALUES (7)")
            let copy = path + "-copy"
            try await store.backup(to: URL(fileURLWithPath: copy))
            try store.set(key("a"), to: Data("2".utf8))
            try expectIntact(URL(fileURLWithPath: copy))
            #expect(try OtherProgram(copy).text("SELECT n FROM others") == "7")
            #expect(try freshStore(copy).get(key("a")) == Data("1".utf8))
        }
    }
}
