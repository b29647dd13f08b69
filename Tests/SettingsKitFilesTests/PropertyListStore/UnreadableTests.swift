import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Unreadable files are not replaced")
struct UnreadableTests {
    @Test("A directory, a FIFO or a device at the path makes the store unavailable at once")
    func noFile() throws {
        try withTemporaryDirectory { directory in
            let fifo = directory + "/fifo.plist"
            try #require(mkfifo(fifo, 0o600) == 0)
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/link.plist", withDestinationPath: "fifo.plist")
            for path in [directory, fifo, directory + "/link.plist", "/dev/zero", "/dev/null"] {
                let error = #expect(throws: SettingsError.self) { try open(path) }
                #expect(error?.code == .storeUnavailable)
                #expect(error?.description.contains(path) == true)
            }
        }
    }

    @Test("A FIFO that replaces the file of an open store is reported, and neither waited for nor replaced")
    func fifoLater() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.synchronize()
            try FileManager.default.removeItem(atPath: path)
            try #require(mkfifo(path, 0o600) == 0)
            try store.set(key("a"), to: Data("2".utf8))
            let error = #expect(throws: SettingsError.self) { try store.synchronize() }
            #expect(error?.code == .notSaved)
            #expect(store.get(key("a")) == Data("2".utf8))
            try FileManager.default.removeItem(atPath: path)
            try store.synchronize()
            #expect(try members(of: path) == ["a": .integer(2)])
        }
    }

    @Test("A URL that is not a file URL is refused", arguments: ["https://example.org/Settings.plist", "data:,x"])
    func otherURL(text: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: SettingsError.self) { try PropertyListStore(url: url) }
        #expect(error?.code == .storeUnavailable)
    }

    @Test("A path with a NUL in it is refused, not cut off there")
    func pathWithNUL() throws {
        try withTemporaryDirectory { directory in
            guard let url = URL(string: "file://\(directory)/a%00b.plist") else { return }
            do {
                let store = try PropertyListStore(url: url)
                try store.set(key("a"), to: Data("1".utf8))
                try store.synchronize()
            } catch let error as SettingsError {
                #expect(error.code == .storeUnavailable)
            }
            #expect(try !names(in: directory).contains("a"))
        }
    }

    @Test("A file larger than any property list is refused without being read")
    func huge() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try write("", to: path)
            try #require(truncate(path, off_t(1) << 40) == 0)
            let error = #expect(throws: SettingsError.self) { try open(path) }
            #expect(error?.code == .storeUnavailable)
        }
    }

    @Test(
        "Without permission to read, the store cannot be opened and the file stays as it is",
        .enabled(if: Program.isRoot))
    func noPermission() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try write(xml("<key>a</key><true/>"), to: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory)
            let before = try bytes(of: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                guard setuid(65_534) == 0 else { Foundation.exit(2) }
                do {
                    _ = try PropertyListStore(url: URL(fileURLWithPath: path))
                    Foundation.exit(3)
                } catch let error as SettingsError {
                    let number = (error.underlying as? SystemError)?.number
                    Foundation.exit(error.code == .storeUnavailable && number == EACCES ? 0 : 4)
                }
            }
            #expect(try bytes(of: path) == before)
        }
    }

    @Test("A file that becomes unreadable is not replaced, and changes stay in memory")
    func unreadableLater() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(path: path, fileSystem: fileSystem)
            try store.set(key("a"), to: Data("1".utf8))
            try store.synchronize()
            let edited = Data(xml("<key>b</key><string>another's</string>").utf8)
            try write(edited, to: path)
            fileSystem.set(.calls([.openForReading, .read], errno: EIO))
            try store.set(key("a"), to: Data("2".utf8))
            #expect(throws: SettingsError.self) { try store.synchronize() }
            #expect(try bytes(of: path) == edited)
            #expect(store.get(key("a")) == Data("2".utf8))
            fileSystem.set(.none)
            try store.synchronize()
            #expect(try members(of: path) == ["a": .integer(2), "b": .string("another's")])
        }
    }
}
