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
