import Foundation
import SettingsFiles
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite("A file that is replaced whole")
struct WholeFileTests {
    private func file(_ path: String) -> WholeFile { WholeFile(path: path, fileSystem: POSIXFileSystem()) }

    @Test("what was written is read, and the status of both is the same")
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

    @Test("an empty file is not the same as none")
    func emptyFile() throws {
        try withTemporaryDirectory { directory in
            let file = file(directory + "/f")
            _ = try file.replace(with: Data())
            #expect(try file.read(limit: 100)?.bytes == Data())
        }
    }

    @Test("a file larger than the limit is refused with EFBIG", arguments: [(3, true), (2, false)])
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

    @Test("what is no file is refused, and never waited for")
    func noFile() throws {
        try withTemporaryDirectory { directory in
            #expect(throws: SystemError.self) { try file(directory).read(limit: 100) }
            try #require(mkfifo(directory + "/fifo", 0o600) == 0)
            #expect(throws: SystemError.self) { try file(directory + "/fifo").read(limit: 100) }
            #expect(throws: SystemError.self) { try file("/dev/zero").read(limit: 100) }
        }
    }

    @Test("what is kept aside has the old bytes, and the file the new ones")
    func keepAside() throws {
        try withTemporaryDirectory { directory in
            let file = file(directory + "/f")
            _ = try file.replace(with: Data("old".utf8))
            _ = try file.replace(with: Data("new".utf8), keepAside: "f.aside")
            #expect(try bytes(of: directory + "/f.aside") == Data("old".utf8))
            #expect(try bytes(of: directory + "/f") == Data("new".utf8))
        }
    }

    @Test("where there are no hard links, the old file is moved aside", arguments: [EPERM, ENOTSUP, EMLINK, ENOSYS])
    func keepAsideWithoutLinks(errno: Int32) throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let file = WholeFile(path: directory + "/f", fileSystem: fileSystem)
            _ = try file.replace(with: Data("old".utf8))
            fileSystem.set(.calls([.link], errno: errno))
            _ = try file.replace(with: Data("new".utf8), keepAside: "f.aside")
            #expect(try bytes(of: directory + "/f.aside") == Data("old".utf8))
            #expect(try bytes(of: directory + "/f") == Data("new".utf8))
            #expect(try names(in: directory) == ["f", "f.aside"])
        }
    }

    @Test("a replacement that fails after keeping aside leaves no second name behind")
    func keepAsideThenFail() throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let file = WholeFile(path: directory + "/f", fileSystem: fileSystem)
            _ = try file.replace(with: Data("old".utf8))
            fileSystem.set(.calls([.rename], errno: EIO))
            for attempt in 1...3 {
                #expect(throws: SystemError.self) {
                    try file.replace(with: Data("new".utf8), keepAside: "f.aside-\(attempt)")
                }
            }
            #expect(try names(in: directory) == ["f"])
            #expect(try bytes(of: directory + "/f") == Data("old".utf8))
        }
    }

    @Test("a file that cannot be kept aside is not replaced")
    func keepAsideFails() throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let file = WholeFile(path: directory + "/f", fileSystem: fileSystem)
            _ = try file.replace(with: Data("old".utf8))
            fileSystem.set(.calls([.link], errno: ENOSPC))
            #expect(throws: SystemError.self) { try file.replace(with: Data("new".utf8), keepAside: "f.aside") }
            #expect(try bytes(of: directory + "/f") == Data("old".utf8))
            #expect(try names(in: directory) == ["f"])
        }
    }

    @Test("old temporary files of this file are removed; young ones, others' and directories stay")
    func staleTemporaries() throws {
        try withTemporaryDirectory { directory in
            for name in [".f.1-a.tmp", ".f.2-b.tmp", ".g.1-a.tmp", "f.tmp", ".f.tmp.keep"] {
                try write("x", to: directory + "/" + name)
            }
            try FileManager.default.createDirectory(
                atPath: directory + "/.f.3-c.tmp", withIntermediateDirectories: true)
            let now = Int64(Date().timeIntervalSince1970)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -5_000)], ofItemAtPath: directory + "/.f.1-a.tmp")
            try file(directory + "/f").removeTemporaries(from: now - 3_600)
            #expect(
                try names(in: directory) == [".f.2-b.tmp", ".f.3-c.tmp", ".f.tmp.keep", ".g.1-a.tmp", "f.tmp"])
        }
    }

    @Test("removing stale temporaries where there is no directory is no error")
    func staleTemporariesNowhere() throws {
        try withTemporaryDirectory { directory in
            try file(directory + "/none/f").removeTemporaries(from: .max)
        }
    }

    @Test("a circle of links is an error, not an endless loop")
    func circularLinks() throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createSymbolicLink(atPath: directory + "/a", withDestinationPath: "b")
            try FileManager.default.createSymbolicLink(atPath: directory + "/b", withDestinationPath: "a")
            let error = #expect(throws: SystemError.self) { try file(directory + "/a").replace(with: Data()) }
            #expect(error?.number == ELOOP)
        }
    }

    @Test("the message of a system error names the call, the path and the reason")
    func message() throws {
        let error = SystemError(call: "write", path: "/home/ann/Settings.plist", number: ENOSPC)
        #expect(error.description == "No space left on device (write /home/ann/Settings.plist)")
    }
}
