#if canImport(Glibc)
    import Foundation
    import Testing

    @testable import SettingsKitPlatform

    import Glibc

    @Suite("Watching when the system has enough of it", .timeLimit(Rounds.timeLimit))
    struct WatchingFailureTests {
        private static func failing(_ error: Int32) -> SystemError {
            SystemError(call: "test", path: "", number: error)
        }

        @Test(
            "There is no watch without an inotify instance, and one as soon as there is", arguments: [EMFILE, ENFILE])
        func noInstance(_ error: Int32) async throws {
            try await withTemporaryDirectory { directory in
                let isFailing = Atomic(true)
                var calls = InotifyCalls.system
                calls.makeInstance = { () throws(SystemError) in
                    if isFailing.load(ordering: .relaxed) { throw Self.failing(error) }
                    return try InotifyCalls.system.makeInstance()
                }
                let watcher = DirectoryWatcher(observer: PathObserver(calls: calls))
                #expect(watcher.watch(directory, names: ["a"]) { _ in } == nil)
                isFailing.store(false, ordering: .relaxed)
                let events = WatchedEvents()
                let watch = try watcher.watch(directory, events)
                try write("1", to: "\(directory)/a")
                await events.wait(for: .changed(name: "a"))
                watch.cancel()
            }
        }

        @Test("A watch that cannot be renewed says so", arguments: [ENOSPC, ENOMEM, EACCES])
        func noWatch(_ error: Int32) async throws {
            try await withTemporaryDirectory { base in
                let directory = "\(base)/directory"
                try makeDirectory(directory)
                let isFailing = Atomic(false)
                var calls = InotifyCalls.system
                calls.addWatch = { (instance, path, mask) throws(SystemError) in
                    if isFailing.load(ordering: .relaxed) { throw Self.failing(error) }
                    return try InotifyCalls.system.addWatch(instance, path, mask)
                }
                let watcher = DirectoryWatcher(observer: PathObserver(calls: calls))
                let events = WatchedEvents()
                let watch = try watcher.watch(directory, events)
                isFailing.store(true, ordering: .relaxed)
                try move(directory, to: "\(base)/other")
                await events.wait(for: .unknown)
                #expect(!watch.isWorking)
                #expect(watcher.watch(base, names: ["a"]) { _ in } == nil)
            }
        }

        @Test("Directories above that must not be read are no hindrance")
        func unreadableAncestors() async throws {
            try await withTemporaryDirectory { directory in
                var calls = InotifyCalls.system
                calls.addWatch = { (instance, path, mask) throws(SystemError) in
                    if path != directory { throw Self.failing(EACCES) }
                    return try InotifyCalls.system.addWatch(instance, path, mask)
                }
                let watcher = DirectoryWatcher(observer: PathObserver(calls: calls))
                let events = WatchedEvents()
                let watch = try watcher.watch(directory, events)
                try write("1", to: "\(directory)/a")
                await events.wait(for: .changed(name: "a"))
                watch.cancel()
            }
        }

        @Test("Watches that have ended leave nothing in the system")
        func nothingLeft() throws {
            try withTemporaryDirectory { directory in
                let instance = Atomic<Int32>(-1)
                var calls = InotifyCalls.system
                calls.makeInstance = { () throws(SystemError) in
                    let descriptor = try InotifyCalls.system.makeInstance()
                    instance.store(descriptor, ordering: .relaxed)
                    return descriptor
                }
                let watcher = DirectoryWatcher(observer: PathObserver(calls: calls))
                func count() throws -> Int {
                    try String(
                        contentsOfFile: "/proc/self/fdinfo/\(instance.load(ordering: .relaxed))", encoding: .utf8
                    )
                    .split(separator: "\n").count { $0.hasPrefix("inotify ") }
                }
                let first = watcher.watch(directory, names: ["a"]) { _ in }
                let alone = try count()
                #expect(alone > 0)
                let second = watcher.watch(directory, names: ["b"]) { _ in }
                #expect(try count() == alone)
                first?.cancel()
                #expect(try count() == alone)
                second?.cancel()
                #expect(try count() == 0)
            }
        }

        private static let queueLength: Int = {
            let text = try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
            return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? .max
        }()

        @Test("Every watch is notified of lost events", .enabled(if: queueLength <= 100_000))
        func overflow() async throws {
            try await withTemporaryDirectory { base in
                let directory = "\(base)/directory"
                try makeDirectory(directory)
                let watcher = DirectoryWatcher()
                let (events, others) = (WatchedEvents(), WatchedEvents())
                let watch = try watcher.watch(directory, names: ["a", "b", "end"], events)
                let other = try watcher.watch("\(base)/missing", others)
                let (calls, goesOn) = (Recorder<DirectoryWatcher.Event>(), DispatchSemaphore(value: 0))
                let hindrance = watcher.watch(base, names: ["hindrance"]) { event in
                    calls.append(event)
                    goesOn.wait()
                }
                try write("1", to: "\(base)/hindrance")
                try await until { !calls.all.isEmpty }
                hindrance?.cancel()
                do {
                    defer { goesOn.signal() }
                    let files = ["a", "b"].map { "\(directory)/\($0)" }
                    for file in files { POSIXFileSystem().close(try POSIXFileSystem().create(file)) }
                    for index in 0..<(Self.queueLength + 1_000) {
                        try POSIXFileSystem().touch(files[index % 2])
                    }
                    // Its being made is among what is lost.
                    try makeDirectory("\(base)/missing")
                }
                await events.wait(for: .unknown)
                await others.wait(for: .unknown)
                try await events.settle(directory)
                try await others.settle("\(base)/missing")
                watch.cancel()
                other.cancel()
            }
        }
    }
#endif
