import Foundation
@testable import SettingsKitPlatform
import Testing

@Suite("A file that is replaced whole")
struct WholeFileTests {
    private func file(_ path: String) -> WholeFile { WholeFile(path: path, fileSystem: POSIXFileSystem()) }

    @Test("What was written is read, and the status of both is the same")
    func roundTrip() throws {
        try withTemporaryDirectory { directory in
            let file = file(directory + "/f")
            #expect(try file.read(limit: 100) == nil)
            #expect(try file.status() == nil)
            let status = try file.replace(with: Data("abc".utf8))
            let contents = try #require(try file.read(limit: 100))
            #expect(contents.bytes == Data("abc".utf8))
            #expect(contents.status == status)
            #expect(try file.status() == status)
        }
    }

    @Test("An empty file is not the same as none")
    func emptyFile() throws {
        try withTemporaryDirectory { directory in
            let file = file(directory + "/f")
            _ = try file.replace(with: Data())
            #expect(try file.read(limit: 100)?.bytes == Data())
        }
    }

    @Test("A file larger than the limit is refused with EFBIG", arguments: [(3, true), (2, false)])
    func limit(limit: Int, isRead: Bool) throws {
        try withTemporaryDirectory { directory in
            let file = file(directory + "/f")
            _ = try file.replace(with: Data("abc".utf8))
            if isRead {
                #expect(try file.read(limit: limit) != nil)
            } else {
                let error = #expect(throws: SystemError.self) { try file.read(limit: limit) }
                #expect(error?.number == EFBIG)
            }
        }
    }

    @Test("What is no file is refused, and never waited for")
    func noFile() throws {
        try withTemporaryDirectory { directory in
            #expect(throws: SystemError.self) { try file(directory).read(limit: 100) }
            try #require(mkfifo(directory + "/fifo", 0o600) == 0)
            #expect(throws: SystemError.self) { try file(directory + "/fifo").read(limit: 100) }
            #expect(throws: SystemError.self) { try file("/dev/zero").read(limit: 100) }
        }
    }

    @Test("What is kept aside has the old bytes, and the file the new ones")
    func keepAside() throws {
        try withTemporaryDirectory { directory in
            let file = file(directory + "/f")
            _ = try file.replace(with: Data("old".utf8))
            _ = try file.put(file.prepare(Data("new".utf8)), keepingAside: "f.aside")
            #expect(try bytes(of: directory + "/f.aside") == Data("old".utf8))
            #expect(try bytes(of: directory + "/f") == Data("new".utf8))
        }
    }

    @Test("Where there are no hard links, the old file is moved aside", arguments: [EPERM, ENOTSUP, EMLINK, ENOSYS])
    func keepAsideWithoutLinks(errno: Int32) throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let file = WholeFile(path: directory + "/f", fileSystem: fileSystem)
            _ = try file.replace(with: Data("old".utf8))
            fileSystem.set(.calls([.link], errno: errno))
            _ = try file.put(file.prepare(Data("new".utf8)), keepingAside: "f.aside")
            #expect(try bytes(of: directory + "/f.aside") == Data("old".utf8))
            #expect(try bytes(of: directory + "/f") == Data("new".utf8))
            #expect(try names(in: directory) == ["f", "f.aside"])
        }
    }

    @Test("A replacement that fails after keeping aside leaves no second name behind")
    func keepAsideThenFail() throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let file = WholeFile(path: directory + "/f", fileSystem: fileSystem)
            _ = try file.replace(with: Data("old".utf8))
            fileSystem.set(.calls([.rename], errno: EIO))
            for attempt in 1...3 {
                #expect(throws: SystemError.self) {
                    try file.put(file.prepare(Data("new".utf8)), keepingAside: "f.aside-\(attempt)")
                }
            }
            #expect(try names(in: directory) == ["f"])
            #expect(try bytes(of: directory + "/f") == Data("old".utf8))
        }
    }

    @Test("A file that cannot be kept aside is not replaced")
    func keepAsideFails() throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let file = WholeFile(path: directory + "/f", fileSystem: fileSystem)
            _ = try file.replace(with: Data("old".utf8))
            fileSystem.set(.calls([.link], errno: ENOSPC))
            #expect(throws: SystemError.self) {
                try file.put(file.prepare(Data("new".utf8)), keepingAside: "f.aside")
            }
            #expect(try bytes(of: directory + "/f") == Data("old".utf8))
            #expect(try names(in: directory) == ["f"])
        }
    }

    @Test("A file keeps its mode when it is replaced; a new one is its owner's alone, whatever the umask")
    func mode() throws {
        try withTemporaryDirectory { directory in
            let file = file(directory + "/f")
            _ = try file.replace(with: Data("new".utf8))
            #expect(try permissions(of: directory + "/f") == 0o600)
            for mode in [0o644, 0o640, 0o400, 0o660] as [mode_t] {
                try #require(chmod(directory + "/f", mode) == 0)
                _ = try file.replace(with: Data("\(mode)".utf8))
                #expect(try permissions(of: directory + "/f") == mode)
            }
        }
    }

    @Test("Temporary files that no process has locked are removed; locked ones, those of others and directories stay")
    func abandonedTemporaries() throws {
        try withTemporaryDirectory { directory in
            for name in [".f.1-a.tmp", ".g.1-a.tmp", "f.tmp", ".f.tmp.keep"] {
                try write("x", to: directory + "/" + name)
            }
            try FileManager.default.createDirectory(
                atPath: directory + "/.f.3-c.tmp", withIntermediateDirectories: true)
            let file = file(directory + "/f")
            let prepared = try file.prepare(Data("new".utf8))
            let mine = try #require(try names(in: directory).first { $0.hasPrefix(".f.") && $0.count > 20 })
            try file.removeTemporaries(.unlocked)
            #expect(try names(in: directory) == [".f.3-c.tmp", mine, ".f.tmp.keep", ".g.1-a.tmp", "f.tmp"].sorted())
            _ = try file.put(prepared)
            #expect(try bytes(of: directory + "/f") == Data("new".utf8))
        }
    }

    @Test("Where other machines may write, temporary files are removed after an hour")
    func oldTemporaries() throws {
        try withTemporaryDirectory { directory in
            for name in [".f.1-a.tmp", ".f.2-b.tmp"] { try write("x", to: directory + "/" + name) }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -5_000)], ofItemAtPath: directory + "/.f.1-a.tmp")
            try file(directory + "/f").removeTemporaries(.unlockedForAnHour)
            #expect(try names(in: directory) == [".f.2-b.tmp"])
        }
    }

    @Test("Removing temporaries where there is no directory is no error")
    func temporariesNowhere() throws {
        try withTemporaryDirectory { directory in
            try file(directory + "/none/f").removeTemporaries(.unlocked)
        }
    }

    @Test("Names of 255 bytes work, and two of them that begin alike have companions of their own")
    func longNames() throws {
        let names = ["a", "b"].map { String(repeating: "é", count: 127) + $0 }
        #expect(Set(names.map(CompanionName.stem)).count == 2)
        for name in names {
            let stem = CompanionName.stem(of: name)
            #expect(stem == CompanionName.stem(of: name) && stem.utf8.count <= PlatformLimits.longestOwnName)
            try withTemporaryDirectory { directory in
                let file = file(directory + "/" + name)
                _ = try file.replace(with: Data("old".utf8))
                _ = try file.put(file.prepare(Data("new".utf8)), keepingAside: stem + ".aside")
                #expect(try bytes(of: directory + "/" + stem + ".aside") == Data("old".utf8))
            }
        }
        #expect(CompanionName.stem(of: "Settings.plist") == "Settings.plist")
    }

    @Test(
        "A path is divided at each slash, also before a name that begins with a combining character",
        arguments: [
            ("/home/ann/Settings.plist", "/home/ann", ["home", "ann", "Settings.plist"]),
            ("/home/ann/\u{301}b", "/home/ann", ["home", "ann", "\u{301}b"]),
            ("/\u{301}a/./b", "/\u{301}a/.", ["\u{301}a", "b"]),
            ("a//\u{20E3}", "a/", ["a", "\u{20E3}"]), ("/a", "/", ["a"]), ("a", ".", ["a"]),
        ])
    func division(path: String, directory: String, components: [String]) {
        let (foundDirectory, name) = WholeFile.split(path)
        #expect(Array(foundDirectory.utf8) == Array(directory.utf8) && name == components.last)
        #expect(WholeFile.components(path) == components)
        #expect(WholeFile.isAbsolute(path) == (path.unicodeScalars.first == "/"))
    }

    @Test("A file whose name begins with a combining character is written in its directory")
    func combiningName() throws {
        try withTemporaryDirectory { directory in
            _ = try file(directory + "/\u{301}a.plist").replace(with: Data("1".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["\u{301}a.plist"])
        }
    }

    @Test("A circle of links is an error, not an endless loop")
    func circularLinks() throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createSymbolicLink(atPath: directory + "/a", withDestinationPath: "b")
            try FileManager.default.createSymbolicLink(atPath: directory + "/b", withDestinationPath: "a")
            let error = #expect(throws: SystemError.self) { try file(directory + "/a").replace(with: Data()) }
            #expect(error?.number == ELOOP)
        }
    }

    @Test("The message of a system error names the call, the path and the reason")
    func message() throws {
        let error = SystemError(call: "write", path: "/home/ann/Settings.plist", number: ENOSPC)
        #expect(error.description == "No space left on device (write /home/ann/Settings.plist)")
    }
}
