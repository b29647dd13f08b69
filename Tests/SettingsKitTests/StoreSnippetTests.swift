import Foundation
import SettingsKit
import SettingsTestKit
import Testing

// The Swift snippets of the article about writing a store, as compiled code; see DocumentationSnippetTests.swift.

// MARK: A store of two functions

private final class VaultStore: SettingsStore {
    private let items = Mutex<[String: Data]>([:])

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        items.withLock { $0[key.name] }
    }
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        items.withLock { $0[key.name] = data }
    }
}

@Test private func vaultStoreKeepsTheContract() async {
    let report = await StoreConformance { VaultStore() }.run()
    #expect(report.failures.isEmpty, "\(report)")
}

// MARK: A complete example

private final class JSONFileStore: SettingsStore {
    private let file: URL
    private let contents: Mutex<[String: Data]>
    private let ownFeed = SettingsStoreFeed()

    init(file: URL) throws {
        self.file = file
        var values: [String: Data] = [:]
        do {
            values = try JSONDecoder().decode(
                [String: Data].self, from: Data(contentsOf: file))
        } catch CocoaError.fileReadNoSuchFile {
            // A missing file is empty. An unreadable one is an error.
        }
        contents = Mutex(values)
    }

    var feed: SettingsStoreFeed? { ownFeed }
    var storeDescription: String { "JSONFileStore at \(file.path)" }

    func get(_ key: SettingsService.StorageKey) -> Data? {
        contents.withLock { $0[key.name] }
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        _ = try apply(
            SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        // After the lock is released, also when writing has failed.
        defer { ownFeed.flush() }
        return try contents.withLock { contents in
            for expectation in batch.expectations
            where contents[expectation.key.name] != expectation.data {
                return false
            }
            var new = contents
            for write in batch.writes { new[write.key.name] = write.data }
            let names = Set(batch.writes.map(\.key.name))
            let changed = names.filter { contents[$0] != new[$0] }
            let changes = changed.map { name in
                SettingsStoreChange(
                    name: name, from: contents[name], to: new[name])
            }
            if changes.isEmpty { return true }
            do {
                try JSONEncoder().encode(new).write(
                    to: file, options: .atomic)
            } catch {
                throw SettingsError(
                    .writeFailed, store: storeDescription, underlying: error
                )
            }
            contents = new
            ownFeed.publish(changes, origin: .local)
            return true
        }
    }

    func keys() -> [String] {
        contents.withLock { Array($0.keys) }
    }

    func synchronize() throws {
        try contents.withLock { contents in
            let exists = FileManager.default.fileExists(atPath: file.path)
            if contents.isEmpty, !exists { return }
            // The file's bytes, then its entry in the directory.
            for url in [file, file.deletingLastPathComponent()] {
                let handle = try FileHandle(forReadingFrom: url)
                defer { try? handle.close() }
                try handle.synchronize()
            }
        }
    }
}

@Test private func jsonFileStoreKeepsTheContract() async throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let report = await StoreConformance {
        try JSONFileStore(
            file: folder.appendingPathComponent(UUID().uuidString))
    }
    .run()
    #expect(report.failures.isEmpty, "\(report)")
}

@Test private func jsonFileStoreLosesNothingOnABrokenMedium() async throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    @Sendable func file(of store: any SettingsStore) -> URL {
        let start = "JSONFileStore at ".count
        let path = store.storeDescription.dropFirst(start)
        return URL(filePath: String(path))
    }
    // A directory in its place: permissions do not stop root.
    let breakFile: StoreConformance.Break = { store in
        let url = file(of: store)
        let away = url.appendingPathExtension("away")
        try FileManager.default.moveItem(at: url, to: away)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false)
        return {
            try FileManager.default.removeItem(at: url)
            try FileManager.default.moveItem(at: away, to: url)
        }
    }
    let report = await StoreConformance(
        reopen: { try JSONFileStore(file: file(of: $0)) },
        unreadable: breakFile, unwritable: breakFile
    ) {
        try JSONFileStore(
            file: folder.appendingPathComponent(UUID().uuidString))
    }
    .run()
    #expect(report.failures.isEmpty, "\(report)")
    print(report.skipped)  // The rules about killed processes.
    #expect(report.skippedGroups == ["killed"], "\(report)")
}

/// The program that the suite kills.
private func jsonWriter() throws -> Never {
    let file = URL(filePath: CommandLine.arguments[1])
    try StoreConformance.writeUntilKilled(to: JSONFileStore(file: file))
}

private func killJSONWriter() -> StoreConformance.KillWriter {
    { store in
        let writer = Bundle.main.bundleURL
            .appendingPathComponent("json-writer").path
        let start = "JSONFileStore at ".count
        let path = String(store.storeDescription.dropFirst(start))
        return try await StoreConformance.runAndKill(writer, [path])
    }
}
