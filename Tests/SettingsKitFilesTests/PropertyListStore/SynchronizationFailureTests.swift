import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

@Suite("fsync fails")
struct SynchronizationFailureTests {
    @Test(
        "A failed fsync is reported, and the next synchronize writes a whole file again",
        arguments: [(.synchronize, false), (.synchronize, true), (.synchronizeDirectory, true)]
            as [(FaultyFileSystem.Call, Bool)])
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
            #expect(calls.contains(.write) && calls.contains(.rename))
            #expect(calls.contains(.synchronize) && calls.contains(.synchronizeDirectory))
            #expect(try open(path).get(key("a")) == Data("1".utf8))
            if forOthers { #expect(try members(of: path) == ["a": .integer(1)]) }
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
            // The log and its directory are flushed, and the list is announced before the rename, and recorded after it.
            #expect(
                order == [
                    .synchronize, .synchronizeDirectory, .create, .write, .synchronize, .write, .rename,
                    .synchronizeDirectory, .write,
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

    @Test("A log that is written again and cannot be flushed is not put in place, and the value is refused")
    func beginning() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Data("1".utf8))
            // The new log must repeat the change, which may have been flushed.
            try FileManager.default.removeItem(atPath: path + "-log")
            fileSystem.set(.calls([.synchronize], errno: EIO))
            for _ in 1...2 {
                #expect(throws: SystemError.self) { try store.set(key("b"), to: Data("2".utf8)) }
                #expect(store.get(key("b")) == nil)
                #expect(!FileManager.default.fileExists(atPath: path + "-log"))
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

    @Test("An edit in place right after our rename is in force, but for the names that were just printed")
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
                    try write(xml("<key>a</key><integer>2</integer><key>b</key><integer>3</integer>"), to: path)
                } catch {
                    Issue.record(error)
                }
            }
            try store.bringUpToDate()
            #expect(once.all.count == 1)
            #expect(try members(of: path) == ["a": .integer(1), "b": .integer(3)])
            #expect(store.get(key("b")) == Data("3".utf8))
        }
    }
}
