#if canImport(Glibc)
    import Foundation
    import Testing

    @testable import SettingsKitPlatform

    import Glibc

    @Suite("Watching when events are lost", .timeLimit(Rounds.timeLimit))
    struct WatchingFailureTests {
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
