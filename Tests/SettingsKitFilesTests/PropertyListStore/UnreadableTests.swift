import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

@Suite("Unreadable files are not replaced")
struct UnreadableTests {
    @Test("A FIFO that replaces the file of an open store is reported, and neither waited for nor replaced")
    func fifoLater() throws {
        try withPropertyList { path in
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            try FileManager.default.removeItem(atPath: path)
            try #require(mkfifo(path, 0o600) == 0)
            try store.set(key("a"), to: Data("2".utf8))
            let error = #expect(throws: SettingsError.self) { try store.bringUpToDate() }
            #expect(error?.code == .notSaved)
            #expect(store.get(key("a")) == Data("2".utf8))
            try FileManager.default.removeItem(atPath: path)
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(2)])
        }
    }

    @Test("A file larger than any property list is refused without being read")
    func huge() throws {
        try withPropertyList { path in
            try write("", to: path)
            try #require(truncate(path, off_t(1) << 40) == 0)
            let error = #expect(throws: SettingsError.self) { try open(path) }
            #expect(error?.code == .storeUnavailable)
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
            #expect(throws: SettingsError.self) { try store.bringUpToDate() }
            #expect(try bytes(of: path) == edited)
            #expect(store.get(key("a")) == Data("2".utf8))
            fileSystem.set(.none)
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(2), "b": .string("another's")])
        }
    }
}
