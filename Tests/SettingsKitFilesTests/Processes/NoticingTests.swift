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

    @Test(
        "An edit of the property list, in place or by replacement, is noticed without a request",
        arguments: [false, true])
    func edit(isByRename: Bool) async throws {
        try await hear(7) { path in
            let edited = Data(xml("<key>a</key><integer>7</integer>").utf8)
            try edited.write(to: URL(fileURLWithPath: path), options: isByRename ? .atomic : [])
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
        .enabled(if: isRoot))
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

    @Test("Another process's change after opening is seen without a listener and without a write")
    func reader() async throws {
        try await withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            let (service, _) = SettingsService.over(try open(path))
            #expect(service.get(Self.a) == 1)
            // At once, when nothing is watched yet; and again, when it may be.
            for value in 2...5 {
                try write(xml("<key>a</key><integer>\(value)</integer>"), to: path)
                #expect(try await eventually { service.get(Self.a) == value })
            }
        }
    }

    @Test("An edit of the file is read by a process that has written before, too, while another one has the lock")
    func editWithoutLock() async throws {
        try await withPropertyList { path in
            let store = try PropertyListStore(url: URL(fileURLWithPath: path), patience: .milliseconds(300))
            let service = SettingsService.over(store).service
            try service.save(Self.a, to: 1)
            try service.bringUpToDate()
            let holder = try Worker("hold", path)
            await holder.wait(for: "locked")
            try await holder.hasStopped()
            let log = Recorder<Int>()
            let subscription = service.observe(Self.a) { log.append($0.newValue) }
            try write(xml("<key>a</key><integer>8</integer>"), to: path)
            #expect(try await eventually { log.all == [8] })
            // And by everyone else after it has written again.
            holder.send(SIGKILL)
            try service.save(Setting<Int>("b", in: .defaults, default: 0), to: 3)
            let other = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
            #expect(other.get(key("a")) == Data("8".utf8) && service.get(Self.a) == 8)
            withExtendedLifetime(subscription) {}
        }
    }
}
