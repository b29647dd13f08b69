import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

@Suite("The file can be read or written no more")
struct UnreachableFileTests {
    private static let setting = Setting<Int>("a", in: .defaults, default: 0)
    /// What the property list needs to be replaced, and appending to the log does not.
    private static let writing: Set<FaultyFileSystem.Call> = [.rename]

    @Test(
        "A failed write keeps values in the log, is reported once, and is retried until there is room",
        arguments: [ENOSPC, EROFS, EACCES])
    func background(errno: Int32) async throws {
        try await withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem)
            let (service, problems) = SettingsService.over(store)
            service.set(Self.setting, to: 0)
            try service.bringUpToDate()
            fileSystem.set(.calls(Self.writing, errno: errno))
            service.set(Self.setting, to: 1)
            #expect(try await eventually { problems.codes == [.notSaved] })
            #expect(problems.all.first?.description.contains(path) == true)
            let attempts = { fileSystem.calls.filter { $0 == .create }.count }
            for value in 2...4 {
                let before = attempts()
                service.set(Self.setting, to: value)
                #expect(try await eventually { attempts() > before })
            }
            #expect(service.get(Self.setting) == 4)
            #expect(problems.codes == [.notSaved])
            // Another store finds it in the log.
            #expect(try open(path).get(key("a")) == Data("4".utf8))
            // Nothing is set any more: it is the retry that must succeed.
            fileSystem.set(.none)
            // A second, unless the machine is so busy that many attempts have failed until now.
            #expect(
                try await eventually(within: 150) { try members(of: path) == ["a": .integer(4)] })
        }
    }

    @Test("A file that becomes unreadable is not replaced, and changes stay in memory")
    func unreadableLater() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            let edited = Data(xml("<key>b</key><string>another's</string>").utf8)
            try write(edited, to: path)
            fileSystem.set(.calls([.openForReading, .read], errno: EIO))
            try store.set(key("a"), to: Data("2".utf8))
            // The log has the change, and is flushed.
            let flushes = { fileSystem.calls.filter { $0 == .synchronize }.count }
            let before = flushes()
            try store.synchronize()
            #expect(flushes() > before)
            #expect(throws: SettingsError.self) { try store.bringUpToDate() }
            #expect(try bytes(of: path) == edited)
            #expect(store.get(key("a")) == Data("2".utf8))
            fileSystem.set(.none)
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(2), "b": .string("another's")])
        }
    }

    @Test("A file that cannot be replaced, because it is a mount point, is written in place")
    func mountPoint() throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            let number = try inode(of: path)
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400))
            try store.set(key("b"), to: Data("22222".utf8))
            fileSystem.set(.calls([.rename], errno: EBUSY))
            for value in ["22222", "3"] {
                try store.set(key("b"), to: Data(value.utf8))
                try store.bringUpToDate()
                #expect(try members(of: path) == ["a": .integer(1), "b": .integer(Int64(value)!)])
            }
            #expect(try inode(of: path) == number)
            #expect(try names(in: URL(fileURLWithPath: path).deletingLastPathComponent().path) == ["Settings.plist"])
            #expect(try open(path).get(key("b")) == Data("3".utf8))
        }
    }
}
