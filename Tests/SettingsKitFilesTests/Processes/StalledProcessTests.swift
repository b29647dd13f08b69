import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// Another process keeps the journal locked: it is stopped, in a debugger for example.
@Suite("A stalled process stalls no other", .timeLimit(.minutes(2)), .ownThreads)
struct StalledProcessTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)
    private static let b = Setting<Int>("b", in: .defaults, default: 0)
    private static let patience = Duration.milliseconds(300)

    /// A store with a value in its journal, and a process that has locked that and is stopped.
    private struct Stall {
        let path: String
        let store: PropertyListStore
        let service: SettingsService
        let problems: Recorder<SettingsError>
        let holder: Worker

        init(in directory: String) async throws {
            path = directory + "/Settings.plist"
            store = try PropertyListStore(url: URL(fileURLWithPath: path), patience: StalledProcessTests.patience)
            (service, problems) = SettingsService.over(store)
            try service.save(StalledProcessTests.a, to: 1)
            try service.synchronize()
            holder = try Worker("lock-until-continued", path)
            await holder.wait(for: "locked")
        }

        /// The stored value, as another process reads it.
        func stored(_ name: String) throws -> Data? { try StalledProcessTests.fresh(path).get(key(name)) }
    }

    fileprivate static func fresh(_ path: String) throws -> PropertyListStore {
        try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
    }

    private func modificationTime(of path: String) throws -> FileStatus.Timestamp? {
        try POSIXFileSystem().status(of: path, followingLink: false)?.modified
    }

    private func duration(_ body: () throws -> Void) rethrows -> Duration { try ContinuousClock().measure(body) }

    @Test(
        "A set while another process has the lock returns soon, and its value is in force and stored as soon as possible"
    )
    func kept() async throws {
        try await withTemporaryDirectory { directory in
            let stall = try await Stall(in: directory)
            let log = Recorder<Int>()
            let subscription = stall.service.observe(Self.a) { log.append($0.newValue) }
            let first = duration { stall.service.set(Self.a, to: 2) }
            #expect(first < Self.patience + .seconds(2), "\(first)")
            #expect(stall.service.get(Self.a) == 2)
            #expect(try stall.stored("a") == Data("1".utf8))
            #expect(stall.problems.all.map(\.code) == [.pending])
            #expect(stall.problems.all.first?.key?.name == "a")
            // No set waits again.
            let others = duration { for number in 3...100 { stall.service.set(Self.a, to: number) } }
            #expect(others < Self.patience * 20, "\(others)")
            #expect(stall.service.get(Self.a) == 100)
            #expect(stall.problems.all.map(\.code) == [.pending])
            stall.holder.send(SIGCONT)
            #expect(try await eventually { try stall.stored("a") == Data("100".utf8) })
            #expect(try await eventually { stall.problems.all.map(\.code) == [.pending, .recovered] })
            #expect(stall.service.get(Self.a) == 100)
            #expect(log.all == Array(2...100))
            try stall.service.synchronize()
            #expect(try members(of: stall.path) == ["a": .integer(100)])
            withExtendedLifetime(subscription) { stall.holder.send(SIGKILL) }
        }
    }

    @Test("A process that is killed with the lock delays the pending values no longer")
    func killedHolder() async throws {
        try await withTemporaryDirectory { directory in
            let stall = try await Stall(in: directory)
            stall.service.set(Self.b, to: 7)
            stall.service.reset(Self.a)
            #expect(stall.service.get(Self.b) == 7 && !stall.service.isSet(Self.a))
            #expect(Set(stall.service.keys(in: .defaults)) == ["b"])
            stall.holder.send(SIGKILL)
            #expect(try await eventually { try stall.stored("b") == Data("7".utf8) })
            #expect(try stall.stored("a") == nil)
        }
    }

    @Test("While another process has the lock, save and synchronize throw in time, and change nothing")
    func throwing() async throws {
        try await withTemporaryDirectory { directory in
            let stall = try await Stall(in: directory)
            let taken = duration {
                let error = #expect(throws: SettingsError.self) { try stall.service.save(Self.a, to: 2) }
                #expect(error?.code == .busy)
            }
            #expect(taken >= Self.patience - .milliseconds(50) && taken < Self.patience + .seconds(3), "\(taken)")
            #expect(stall.service.get(Self.a) == 1)
            stall.service.set(Self.b, to: 2)
            #expect(throws: SettingsError.self) { try stall.service.save(Self.a, to: 3) }
            #expect(throws: SettingsError.self) { try stall.service.synchronize() }
            #expect(stall.service.get(Self.a) == 1 && stall.service.get(Self.b) == 2)
            stall.holder.send(SIGCONT)
            #expect(try await eventually { try stall.stored("b") == Data("2".utf8) })
            try stall.service.save(Self.a, to: 4)
            #expect(try stall.stored("a") == Data("4".utf8))
            stall.holder.send(SIGKILL)
        }
    }

    @Test(
        "While a save waits for another process, a set of another thread does not wait with it, and neither does a get")
    func besideASave() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let store = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400), patience: .seconds(30))
            let service = SettingsService.over(store).service
            try service.save(Self.a, to: 1)
            let holder = try Worker("lock-until-continued", path)
            await holder.wait(for: "locked")
            let outcome = onThread { try service.save(Self.b, to: 5) }
            let taken = duration {
                service.set(Self.a, to: 2)
                #expect(service.get(Self.a) == 2)
            }
            #expect(taken < .seconds(10), "\(taken)")
            holder.send(SIGCONT)
            #expect(try await eventually { outcome.all == [true] })
            #expect(try await eventually { try Self.fresh(path).get(key("a")) == Data("2".utf8) })
            #expect(try Self.fresh(path).get(key("b")) == Data("5".utf8))
            holder.send(SIGKILL)
        }
    }

    @Test("Pending values arrive together, after what others have written, and before what is written next")
    func order() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            func store() throws -> PropertyListStore {
                try PropertyListStore(
                    path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400),
                    patience: .milliseconds(50))
            }
            let (one, other) = (try store(), try store())
            let (service, _) = SettingsService.over(one)
            let log = Recorder<Int>()
            let subscription = service.observe(Self.a) { log.append($0.newValue) }
            try other.set(key("a"), to: Data("1".utf8))
            try one.refresh()
            // The other store locks the journal, as it does to write.
            #expect(try other.list.files.withLock { try $0.lock.acquireOpen(in: POSIXFileSystem()) })
            service.set(Self.a, to: 2)
            service.set(Self.b, to: 3)
            service.set(Self.a, to: 4)
            // And writes the same setting, which releases the lock.
            try other.set(key("a"), to: Data("9".utf8))
            // What is pending goes before, also if the background comes later.
            try one.set(key("c"), to: Data("5".utf8))
            try other.refresh()
            #expect(other.get(key("a")) == Data("4".utf8) && other.get(key("b")) == Data("3".utf8))
            #expect(other.get(key("c")) == Data("5".utf8))
            #expect(service.get(Self.a) == 4)
            #expect(log.all == [1, 2, 4])
            #expect(try Self.fresh(path).get(key("a")) == Data("4".utf8))
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("An edit of the file while a value is pending wins for the other keys alone")
    func edit() async throws {
        try await withTemporaryDirectory { directory in
            let stall = try await Stall(in: directory)
            stall.service.set(Self.a, to: 2)
            try write(xml("<key>a</key><integer>8</integer><key>b</key><integer>9</integer>"), to: stall.path)
            stall.holder.send(SIGCONT)
            #expect(try await eventually { stall.service.get(Self.b) == 9 })
            #expect(try await eventually { try stall.stored("a") == Data("2".utf8) })
            #expect(stall.service.get(Self.a) == 2)
            try stall.service.synchronize()
            #expect(try members(of: stall.path) == ["a": .integer(2), "b": .integer(9)])
            stall.holder.send(SIGKILL)
        }
    }

    @Test("An edit of the file is read by a process that has written before, too, while another one has the lock")
    func editWithoutLock() async throws {
        try await withTemporaryDirectory { directory in
            let stall = try await Stall(in: directory)
            let log = Recorder<Int>()
            let subscription = stall.service.observe(Self.a) { log.append($0.newValue) }
            try write(xml("<key>a</key><integer>8</integer>"), to: stall.path)
            #expect(try await eventually { log.all == [8] })
            // And by everyone else after it has written again.
            stall.holder.send(SIGKILL)
            try stall.service.save(Self.b, to: 3)
            #expect(try stall.stored("a") == Data("8".utf8) && stall.service.get(Self.a) == 8)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("A process whose set has waited in vain waits again at its end, and stores the value when the lock is free")
    func waitsAtItsEnd() async throws {
        try await withTemporaryDirectory { directory in
            let stall = try await Stall(in: directory)
            let worker = try Worker("set-and-wait", directory, "1", "Settings")
            await worker.wait(for: "set")
            let lock = stall.path + "-lock"
            let mark = try modificationTime(of: lock)
            worker.send(SIGUSR1)
            let hasEnded = Recorder<Int32>()
            let end = Task { hasEnded.append(await worker.status()) }
            // A process that waits for long marks the file; one that does not wait has ended.
            #expect(try await eventually { try modificationTime(of: lock) != mark || !hasEnded.all.isEmpty })
            stall.holder.send(SIGKILL)
            await end.value
            #expect(hasEnded.all == [0])
            #expect(try stall.stored("a") == Data("2".utf8))
        }
    }

    @Test("A wait has an end, although the journal grows all the time")
    func growingJournal() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let store = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400), patience: Self.patience)
            let service = SettingsService.over(store).service
            try service.save(Self.a, to: 1)
            let other = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400))
            // One that writes and never gives the lock back.
            let isDone = Atomic(false)
            let writer = onThread {
                try other.list.withLockedJournal(waiting: .seconds(10)) { files in
                    files.isWriting = true
                    while !isDone.load(ordering: .relaxed) {
                        try files.cursor.journal?.append(.changes([JournalChange(name: "b", data: Data("1".utf8))]))
                    }
                }
            }
            #expect(try await eventually { try bytes(of: path + "-journal").count > 10_000 })
            let taken = duration { #expect(throws: SettingsError.self) { try service.save(Self.a, to: 2) } }
            #expect(taken < .seconds(20), "\(taken)")
            isDone.store(true, ordering: .relaxed)
            #expect(try await eventually { writer.all == [true] })
            try service.save(Self.a, to: 3)
        }
    }

    @Test("A process that is killed loses what is pending, and nothing else")
    func killed() async throws {
        try await withTemporaryDirectory { directory in
            let stall = try await Stall(in: directory)
            let worker = try Worker("keep", stall.path, "a", "2")
            await worker.wait(for: "problem pending")
            await worker.wait(for: "2")
            worker.send(SIGKILL)
            await worker.status()
            stall.holder.send(SIGKILL)
            await stall.holder.status()
            #expect(try stall.stored("a") == Data("1".utf8))
            try stall.service.save(Self.b, to: 3)
            #expect(stall.service.get(Self.a) == 1)
        }
    }
}
