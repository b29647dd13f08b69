import Foundation
@testable import SettingsKitPlatform
import Testing

@Suite("A file that is replaced whole")
struct WholeFileTests {
    private func file(_ path: String) -> WholeFile { WholeFile(path: path, fileSystem: POSIXFileSystem()) }

    @Test("What was written is read up to the limit, and the status of both is the same")
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
            let error = #expect(throws: SystemError.self) { try file.read(limit: 2) }
            #expect(error?.number == EFBIG)
            _ = try file.replace(with: Data())
            #expect(try file.read(limit: 2)?.bytes == Data())
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

    @Test("A copy has the file's bytes; one that cannot be completed leaves nothing behind", arguments: [false, true])
    func copy(isFailing: Bool) throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let file = WholeFile(path: directory + "/f", fileSystem: fileSystem)
            let contents = Data(repeating: 7, count: 3 << 20)
            _ = try file.replace(with: contents)
            if isFailing {
                fileSystem.set(.once(6, errno: ENOSPC))
                #expect(throws: SystemError.self) { try file.copy(to: directory + "/copy") }
                #expect(try names(in: directory) == ["f"])
            } else {
                try file.copy(to: directory + "/copy")
                #expect(try bytes(of: directory + "/copy") == contents)
            }
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

    @Test("What a process that died has left beside a file is used again, unless another user may use it, too")
    func leftovers() throws {
        try withTemporaryDirectory { directory in
            let file = file(directory + "/f")
            let leftover = directory + "/.f-new"
            for hasSecondName in [false, true] {
                try write("a longer text", to: leftover)
                if hasSecondName { try POSIXFileSystem().link(leftover, as: directory + "/other") }
                _ = try file.replace(with: Data("new".utf8))
                #expect(try bytes(of: directory + "/f") == Data("new".utf8))
            }
            #expect(try bytes(of: directory + "/other") == Data("a longer text".utf8))
            #expect(try names(in: directory) == ["f", "other"])
        }
    }

    @Test("While a file is replaced, another replacement gives up; what is discarded leaves nothing behind")
    func contention() throws {
        try withTemporaryDirectory { directory in
            let (one, other) = (file(directory + "/f"), file(directory + "/f"))
            let prepared = try #require(try one.prepare(Data("1".utf8)))
            #expect(try other.prepare(Data("2".utf8)) == nil)
            _ = try one.put(prepared)
            one.discard(prepared)
            let next = try #require(try other.prepare(Data("2".utf8)))
            other.discard(next)
            #expect(try bytes(of: directory + "/f") == Data("1".utf8))
            #expect(try names(in: directory) == ["f"])
        }
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
