import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

@Suite("The file is replaced whole")
struct ReplacementTests {
    @Test("A new file is its owner's only; one that is there keeps its mode", arguments: [nil, 0o644, 0o666, 0o400])
    func mode(before: Int?) throws {
        try withPropertyList { path in
            if let before {
                try write(xml(""), to: path)
                try FileManager.default.setAttributes([.posixPermissions: before], ofItemAtPath: path)
            }
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            let expected = before.map { mode_t($0) } ?? 0o600
            #expect(try permissions(of: path) == expected)
            // Its owner must be able to write the log.
            #expect(try permissions(of: path + "-log") == expected | 0o600)
        }
    }

    @Test("Missing directories are made, for their owner only")
    func directories() throws {
        try withTemporaryDirectory { directory in
            let store = try open(directory + "/one/two/Settings.plist")
            #expect(try names(in: directory) == [])
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            #expect(try permissions(of: directory + "/one") == 0o700)
            #expect(try permissions(of: directory + "/one/two") == 0o700)
            #expect(try names(in: directory + "/one/two") == ["Settings.plist"])
        }
    }

    @Test("A reader that has the old file open sees it unchanged")
    func oldReader() throws {
        try withPropertyList { path in
            let store = try open(path)
            try store.set(key("a"), to: Data(#""old""#.utf8))
            try store.bringUpToDate()
            let reader = try Foundation.FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            let (before, number) = (try bytes(of: path), try inode(of: path))
            try store.set(key("a"), to: Data(#""new""#.utf8))
            try store.bringUpToDate()
            #expect(try inode(of: path) != number)
            #expect(try reader.readToEnd() == before)
            #expect(try members(of: path) == ["a": .string("new")])
        }
    }

    @Test("A reader finds a complete property list at any moment")
    func concurrentReader() async throws {
        try await withPropertyList { path in
            let store = try open(path)
            try store.set(key("n"), to: Data("0".utf8))
            try store.bringUpToDate()
            let isDone = Recorder<Bool>()
            async let reads = Self.read(path, until: { !isDone.all.isEmpty })
            for number in 1...100 {
                try store.set(key("n"), to: Data("\(number)".utf8))
                try store.set(key("text"), to: Data("\"\(String(repeating: "x", count: number * 10))\"".utf8))
                try store.bringUpToDate()
            }
            isDone.append(true)
            let numbers = try await reads
            #expect(!numbers.isEmpty)
            #expect(numbers == numbers.sorted())
        }
    }

    private static func read(_ path: String, until isDone: @Sendable () -> Bool) async throws -> [Int64] {
        var numbers: [Int64] = []
        repeat {
            guard case .integer(let number) = try members(of: path)["n"] else {
                Issue.record("no number in the file")
                break
            }
            numbers.append(number)
            await Task.yield()
        } while !isDone()
        return numbers
    }

    @Test("A file that was deleted is written again, with everything")
    func deletedFile() throws {
        try withPropertyList { path in
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            try FileManager.default.removeItem(atPath: path)
            #expect(store.get(key("a")) == Data("1".utf8))
            try store.set(key("b"), to: Data("2".utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1), "b": .integer(2)])
            try FileManager.default.removeItem(atPath: path)
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1), "b": .integer(2)])
        }
    }

    @Test("A directory that was deleted is made again")
    func deletedDirectory() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/sub/Settings.plist"
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            try FileManager.default.removeItem(atPath: directory + "/sub")
            try store.set(key("b"), to: Data("2".utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1), "b": .integer(2)])
        }
    }

    @Test("A change made while the file is written is in the next one, and an edit does not undo it")
    func setDuringWrite() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem)
            try store.set(key("a"), to: Data("1".utf8))
            let once = Recorder<Bool>()
            fileSystem.after { call in
                guard call == .create, once.all.isEmpty else { return }
                once.append(true)
                #expect(throws: Never.self) {
                    try store.set(key("a"), to: Data("2".utf8))
                    try store.set(key("b"), to: Data("3".utf8))
                }
            }
            try store.bringUpToDate()
            // The hook holds the store, which holds the file system.
            fileSystem.after { _ in }
            #expect(once.all.count == 1)
            try write(xml("<key>a</key><integer>9</integer><key>c</key><integer>4</integer>"), to: path)
            try store.bringUpToDate()
            #expect(store.get(key("a")) == Data("2".utf8))
            #expect(try members(of: path) == ["a": .integer(2), "b": .integer(3), "c": .integer(4)])
        }
    }

    @Test("A store without changes writes no file, and neither does resetting missing values")
    func nothingSet() throws {
        try withTemporaryDirectory { directory in
            let store = try open(directory + "/Settings.plist")
            try store.set(key("a"), to: nil)
            try store.removeAll()
            try store.bringUpToDate()
            #expect(try names(in: directory) == [])
        }
    }

    @Test("When everything is removed, an empty property list stays")
    func allRemoved() throws {
        try withPropertyList { path in
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            try store.removeAll()
            try store.bringUpToDate()
            #expect(try members(of: path).isEmpty)
            #expect(try open(path).keys().isEmpty)
        }
    }

    @Test("The first write removes the temporary files of dead processes, and leaves those of living ones")
    func staleTemporaries() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try write("x", to: directory + "/.Settings.plist.1-dead.tmp")
            let living = directory + "/.Settings.plist.2-living.tmp"
            try write("x", to: living)
            let fileSystem = POSIXFileSystem()
            let file = try fileSystem.openForReading(living)
            defer { fileSystem.close(file) }
            try #require(try fileSystem.lock(file))
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            #expect(try names(in: directory) == [".Settings.plist.2-living.tmp", "Settings.plist"])
        }
    }
}
