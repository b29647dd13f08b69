import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

@Suite("fsync fails")
struct SynchronizationFailureTests {
    @Test(
        "A failed fsync is reported, and the next synchronize writes the whole file again",
        arguments: [FaultyFileSystem.Call.synchronize, .synchronizeDirectory], [false, true])
    func rewritten(call: FaultyFileSystem.Call, forOthers: Bool) throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Data("0".utf8))
            try store.bringUpToDate()
            try store.set(key("a"), to: Data("1".utf8))
            func synchronize() throws { if forOthers { try store.bringUpToDate() } else { try store.synchronize() } }
            fileSystem.set(.calls([call], errno: EIO))
            for _ in 1...3 { #expect(throws: SettingsError.self) { try synchronize() } }
            fileSystem.set(.none)
            try synchronize()
            let calls = fileSystem.calls
            #expect(calls.contains(.create) && calls.contains(.write) && calls.contains(.rename))
            #expect(calls.contains(.synchronize) && calls.contains(.synchronizeDirectory))
            #expect(try members(of: path) == ["a": .integer(1)])
        }
    }

    @Test("A new file is synchronized before the rename, its directory after it")
    func order() throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(
                path: directory + "/Settings.plist", fileSystem: fileSystem, writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Data("1".utf8))
            fileSystem.set(.none)
            try store.bringUpToDate()
            let order = fileSystem.calls.filter {
                [.create, .write, .synchronize, .rename, .synchronizeDirectory].contains($0)
            }
            // After the rename, the journal gets a record of it; after the directory, there is a fresh journal, of which the old
            // one tells.
            #expect(
                order == [
                    .create, .write, .synchronize, .rename, .write, .synchronizeDirectory, .create, .write,
                    .synchronize, .write, .rename,
                ])
        }
    }

    @Test("The parent of a directory that was made is synchronized, also when the first attempt at that failed")
    func parentOfNewDirectory() throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(
                path: directory + "/new/Settings.plist", fileSystem: fileSystem, writingDelay: .seconds(86_400))
            fileSystem.set(.calls([.synchronizeDirectory], errno: EIO))
            #expect(throws: SystemError.self) { try store.set(key("a"), to: Data("1".utf8)) }
            fileSystem.set(.none)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            #expect(fileSystem.calls.filter { $0 == .synchronizeDirectory }.count >= 2)
        }
    }

    @Test("A journal that repeats changes and cannot be flushed is not begun, and the value is refused")
    func beginning() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Data("1".utf8))
            // The new journal must repeat the change, which may have been flushed.
            try FileManager.default.removeItem(atPath: path + "-journal")
            fileSystem.set(.calls([.synchronize], errno: EIO))
            for _ in 1...2 {
                #expect(throws: SystemError.self) { try store.set(key("b"), to: Data("2".utf8)) }
                #expect(store.get(key("b")) == nil)
                #expect(try bytes(of: path + "-journal").isEmpty)
            }
            fileSystem.set(.none)
            try store.set(key("b"), to: Data("2".utf8))
            let found = try open(path)
            #expect(found.get(key("a")) == Data("1".utf8) && found.get(key("b")) == Data("2".utf8))
        }
    }

    @Test("When nothing has changed, bringing up to date writes nothing")
    func quiet() throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(
                path: directory + "/Settings.plist", fileSystem: fileSystem, writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            fileSystem.set(.none)
            try store.bringUpToDate()
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            #expect(!fileSystem.calls.contains(.create))
        }
    }

    @Test("An edit in place right after our rename is noticed, although the file is the one that we wrote")
    func editBetweenRenameAndStatus() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Data("1".utf8))
            let once = Recorder<Bool>()
            fileSystem.after { call in
                guard call == .rename, once.all.isEmpty else { return }
                once.append(true)
                do {
                    // Through the descriptor's file, not by replacing it.
                    try write(xml("<key>a</key><string>edited by hand</string>"), to: path)
                } catch {
                    Issue.record(error)
                }
            }
            try store.bringUpToDate()
            try store.bringUpToDate()
            #expect(once.all.count == 1)
            #expect(store.get(key("a")) == Data(#""edited by hand""#.utf8))
        }
    }
}
