import Foundation
import SettingsKitCore
import SettingsKitPlatform
import Testing

@testable import SettingsKitFiles

/// A copy of a folder whose files are hard links, as `cp -al` makes it.
@Suite("A snapshot of the folder made of hard links")
struct SnapshotTests {
    private let one = Data("1".utf8)
    private let two = Data("2".utf8)

    /// Opens a property list as another process would.
    private func open(_ path: String) throws -> PropertyListStore {
        try PropertyListStore(
            path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400),
            trust: PropertyListTimings.trust)
    }

    /// Makes a snapshot of all files in a directory beside it.
    ///
    /// - Returns: the path of the property list's journal in the snapshot.
    @discardableResult
    private func makeSnapshot(of directory: String, as name: String = "snapshot") throws -> String {
        let copy = directory + "-" + name
        try makeDirectory(copy)
        for file in try FileManager.default.contentsOfDirectory(atPath: directory) {
            try #require(link(directory + "/" + file, copy + "/" + file) == 0)
        }
        return copy + "/Settings.plist-journal"
    }

    private func withFolder(_ body: (_ folder: String, _ path: String) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let folder = directory + "/folder"
            try makeDirectory(folder)
            try body(folder, folder + "/Settings.plist")
        }
    }

    @Test("A snapshot made of hard links hides no value, and keeps no process from writing")
    func hidesNoValue() throws {
        try withFolder { folder, path in
            let first = try open(path)
            try first.set(key("a"), to: one)
            let journal = try makeSnapshot(of: folder)
            let before = try bytes(of: journal)
            let (service, problems) = SettingsService.over(try open(path))
            #expect(service.get(Setting<Int>("a", in: .defaults, default: 0)) == 1)
            try service.save(Setting<Int>("b", in: .defaults, default: 0), to: 2)
            #expect(problems.codes == [])
            #expect(try bytes(of: journal) == before)
            #expect(try inode(of: path + "-journal") != inode(of: journal))
            let third = try open(path)
            #expect(third.get(key("a")) == one)
            #expect(third.get(key("b")) == two)
        }
    }

    @Test("A snapshot made of hard links keeps its contents while several stores have the journal open")
    func keepsItsContents() throws {
        try withFolder { folder, path in
            let stores = try (0..<3).map { _ in try open(path) }
            for (index, store) in stores.enumerated() { try store.set(key("a\(index)"), to: one) }
            for round in 0..<3 {
                let journal = try makeSnapshot(of: folder, as: "\(round)")
                let before = try bytes(of: journal)
                for (index, store) in stores.enumerated() { try store.set(key("b\(round) \(index)"), to: two) }
                #expect(try bytes(of: journal) == before)
                for store in stores {
                    try store.refresh()
                    #expect(store.keys().count == 3 * (round + 2))
                }
                #expect(try open(path).keys().count == 3 * (round + 2))
            }
        }
    }

    @Test("A snapshot made of hard links can be opened, and written, like the folder itself")
    func canBeOpened() throws {
        try withFolder { folder, path in
            let store = try open(path)
            try store.set(key("a"), to: one)
            let journal = try makeSnapshot(of: folder)
            let copy = try open(String(journal.dropLast("-journal".count)))
            try copy.set(key("a"), to: two)
            #expect(copy.get(key("a")) == two)
            try store.set(key("b"), to: one)
            #expect(try open(path).get(key("a")) == one)
        }
    }

    @Test("A snapshot made of hard links keeps a journal that was not begun, and one that ends with a part of a record")
    func keepsUnfinishedJournals() throws {
        try withFolder { folder, path in
            try write("", to: path + "-journal")
            let empty = try makeSnapshot(of: folder, as: "empty")
            try open(path).set(key("a"), to: one)
            #expect(try bytes(of: empty) == Data())
            let torn = try bytes(of: path + "-journal") + Data(repeating: 7, count: 3)
            try write(torn, to: path + "-journal")
            let journal = try makeSnapshot(of: folder, as: "torn")
            try open(path).set(key("b"), to: two)
            #expect(try bytes(of: journal) == torn)
            #expect(Set(try open(path).keys()) == ["a", "b"])
        }
    }

    @Test("A snapshot made of hard links is folded around, and stays as it is")
    func isFoldedAround() throws {
        try withFolder { folder, path in
            let store = try open(path)
            try store.set(key("a"), to: one)
            try store.bringUpToDate()
            try store.set(key("a"), to: two)
            let journal = try makeSnapshot(of: folder)
            let before = try bytes(of: journal)
            try store.bringUpToDate()
            #expect(try bytes(of: journal) == before)
            #expect(try members(of: path) == ["a": .integer(2)])
            #expect(try members(of: String(journal.dropLast("-journal".count))) == ["a": .integer(1)])
        }
    }

    @Test(
        "Of what several processes write while snapshots are made of hard links, nothing is lost",
        .timeLimit(.minutes(5)))
    func losesNothing() async throws {
        try await withTemporaryDirectory { directory in
            let folder = directory + "/folder"
            try makeDirectory(folder)
            let path = folder + "/Settings.plist"
            try open(path).set(key("first"), to: one)
            let count = 300
            let workers = try (0..<3).map { try Worker("fill", path, "of \($0)", "\(count)") }
            let isDone = Recorder<Bool>()
            let snapshots = Task.detached {
                var number = 0
                while isDone.all.isEmpty {
                    number += 1
                    try makeDirectory(directory + "/\(number)")
                    _ = link(path + "-journal", directory + "/\(number)/journal")
                    try await Task.sleep(for: .milliseconds(2))
                }
                return number
            }
            for worker in workers { #expect(await worker.status() == 0) }
            isDone.append(true)
            #expect(try await snapshots.value > 0)
            let store = try open(path)
            #expect(store.keys().count == workers.count * count + 1)
        }
    }

    @Test("A journal of another user that has a second name is refused", .enabled(if: Program.isRoot))
    func refusesAnotherUsers() throws {
        try withFolder { folder, path in
            let store = try open(path)
            try store.set(key("a"), to: one)
            let journal = try makeSnapshot(of: folder)
            try #require(chown(folder, 65_534, 65_534) == 0 && chown(journal, 65_534, 65_534) == 0)
            let (service, problems) = SettingsService.over(try open(path))
            #expect(service.get(Setting<Int>("a", in: .defaults, default: 0)) == 0)
            #expect(problems.codes == [.journalUnavailable])
            withExtendedLifetime(store) {}
        }
    }
}
