import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("Noticing other processes' changes", .timeLimit(Rounds.timeLimit))
struct NoticingTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)

    /// Opens a service, observes a setting, changes the file, and waits for the listener.
    private func hear(_ expected: Int, after change: @Sendable (String) async throws -> Void) async throws {
        try await withPropertyList { path in
            let (service, problems) = SettingsService.over(try open(path))
            service.set(Self.a, to: 1)
            try service.bringUpToDate()
            let changes = service.changes(of: Self.a)
            try await change(path)
            for await change in changes where change.newValue == expected {
                #expect(change.origin == .external)
                break
            }
            #expect(service.get(Self.a) == expected)
            #expect(problems.all.isEmpty)
        }
    }

    @Test("After the property list has become a symbolic link, a change by another process is noticed at once")
    func becomesLink() async throws {
        let begin = Box(ContinuousClock.now)
        try await hear(5) { path in
            let folder = path + "-files"
            try makeDirectory(folder)
            try move(path, to: folder + "/Settings.plist")
            try link(path, to: folder + "/Settings.plist")
            try await Worker.run("set", path, "b", "1")
            try await Worker.run("set", path, "a", "5")
            begin.value = .now
        }
        // Not with the next round, in up to 12 seconds.
        #expect(ContinuousClock.now - begin.value < .seconds(9))
    }

    @Test(
        "An edit of the property list, in place or by replacement, is noticed without a request",
        arguments: [false, true])
    func edit(isByRename: Bool) async throws {
        try await hear(7) { path in
            let edited = Data(xml("<key>a</key><integer>7</integer>").utf8)
            try edited.write(to: URL(fileURLWithPath: path), options: isByRename ? .atomic : [])
        }
    }

    @Test("An edit by plistlib is noticed without a request", .enabled(if: Program.python))
    func python() async throws {
        try await hear(8) { path in
            let result = try Program.python(
                """
                root = plistlib.load(open(sys.argv[1], 'rb'))
                root['a'] = 8
                plistlib.dump(root, open(sys.argv[1], 'wb'), fmt=plistlib.FMT_BINARY)
                """, path)
            #expect(result.status == 0, "\(result.text)")
        }
    }

    @Test("An edit by plutil, which makes it a binary file", .enabled(if: Program.plutil))
    func plutil() async throws {
        try await hear(9) { path in
            #expect(try Program.run(["plutil", "-convert", "binary1", path]).status == 0)
            // What is in a binary file is still read. The process may exit before it has printed, if this one has the lock then.
            try await Worker.run("set", path, "b", "2")
            #expect(try await eventually { try members(of: path) == ["a": .integer(1), "b": .integer(2)] })
            try write(xml("<key>a</key><integer>9</integer>"), to: path)
        }
    }

    @Test("An edit of the same size, at the same time as far as its date says")
    func sameSizeAndDate() async throws {
        try await hear(3) { path in
            let text = String(decoding: try bytes(of: path), as: UTF8.self)
            var status = stat()
            try #require(stat(path, &status) == 0)
            try write(text.replacing("<integer>1<", with: "<integer>3<"), to: path)
            #if canImport(Darwin)
                var times = [status.st_atimespec, status.st_mtimespec]
            #else
                var times = [status.st_atim, status.st_mtim]
            #endif
            try #require(utimensat(AT_FDCWD, path, &times, 0) == 0)
        }
    }

    @Test("An edit that makes the file invalid is reported, and changes nothing until the next one repairs it")
    func invalidEdit() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let (service, problems) = SettingsService.over(try open(path))
            service.set(Self.a, to: 1)
            try service.bringUpToDate()
            try write("<plist><dict><key>a</key>", to: path)
            #expect(try await eventually { problems.codes == [.damaged] })
            #expect(service.get(Self.a) == 1)
            try write(xml("<key>a</key><integer>2</integer>"), to: path)
            #expect(try await eventually { service.get(Self.a) == 2 })
            #expect(try names(in: directory) == ["Settings.plist"])
            #expect(problems.codes == [.damaged])
        }
    }

    @Test("After twenty thousand changes in a row, the last one is the last delivered")
    func flood() async throws {
        try await withPropertyList { path in
            let (service, _) = SettingsService.over(try open(path))
            let values = service.values(of: Setting<Int>("counter", in: .defaults, default: 0))
            let worker = try Worker("count", path, "20000")
            for await value in values where value == 20_000 { break }
            #expect(await worker.status() == 0)
        }
    }

    @Test(
        "A process that can watch nothing, as the system has nothing left for that, hears by looking now and then",
        .enabled(if: Program.isRoot))
    func withoutWatching() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory)
            let listener = try Worker("listen", path, "a")
            await listener.wait(for: "listening")
            try await Worker.run("set-as-other", path, "a", "6")
            await listener.wait(for: "6")
            listener.send(SIGKILL)
        }
    }

    @Test("Two stores over one file share one memory, whichever path opened them")
    func sameProcess() throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory + "/real", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/alias", withDestinationPath: directory + "/real")
            let one = SettingsService.over(try open(directory + "/real/Settings.plist")).service
            let other = SettingsService.over(try open(directory + "/alias/Settings.plist")).service
            for number in 1...100 {
                one.set(Self.a, to: number)
                #expect(other.get(Self.a) == number)
                other.set(Self.a, to: -number)
                #expect(one.get(Self.a) == -number)
            }
        }
    }
}
