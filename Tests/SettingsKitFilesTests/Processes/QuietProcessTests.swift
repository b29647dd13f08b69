#if canImport(Glibc)
    import Foundation
    import Testing

    @testable import SettingsKitFiles
    @testable import SettingsKitPlatform

    /// What a process costs that does nothing, counted by the kernel.
    @Suite("A process that does nothing", .timeLimit(Rounds.timeLimit))
    struct QuietProcessTests {
        /// How often the threads of a process went to sleep, all of them together, by thread.
        private static func sleeps(of pid: pid_t) throws -> [String: Int] {
            var counts: [String: Int] = [:]
            for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
                let status = try String(contentsOfFile: "/proc/\(pid)/task/\(thread)/status", encoding: .utf8)
                let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
                counts[thread] = line.flatMap { Int($0.filter(\.isNumber)) }
            }
            return counts
        }

        /// Whether the tests' directories are where changes are reported, so that a process may rely on that.
        private static let isReporting = FileSystemKind(ofDirectory: NSTemporaryDirectory()) == .reporting

        @Test(
            "A process that does nothing wakes at most once in ten seconds, with fifty property lists, a shared directory and a database",
            .enabled(if: isReporting, "changes are not known to be reported where temporary files are"),
            .enabled(if: Rounds.areFull, "the kernel counts wake-ups: only on a quiet machine, in .ci/soak"))
        func idle() async throws {
            try await withTemporaryDirectory { base in
                let directory = "\(base)/settings"
                try makeDirectory(directory)
                let worker = try Worker("idle", directory, "50")
                await worker.wait(for: "idle")
                // Until the changes are in the files, and were polled in two rounds.
                try await Task.sleep(for: .seconds(30))
                // Longer on a busy machine, where the process may not be done: until none of its threads wakes for a while.
                var settled = try Self.sleeps(of: worker.processID)
                for number in 0..<30 {
                    try write("", to: "\(base)/\(number)")
                    try await Task.sleep(for: .seconds(2))
                    let present = try Self.sleeps(of: worker.processID)
                    if present == settled { break }
                    settled = present
                }
                let before = try Self.sleeps(of: worker.processID)
                let seconds = 30
                for number in 0..<seconds {
                    // Others' files in the directory above do not concern it.
                    try write("", to: "\(base)/other-\(number)")
                    try await Task.sleep(for: .seconds(1))
                }
                let after = try Self.sleeps(of: worker.processID)
                #expect(Set(after.keys) == Set(before.keys))
                let wakes = after.values.reduce(0, +) - before.values.reduce(0, +)
                #expect(wakes <= seconds / 10, "\(wakes) in \(seconds) seconds")
                #expect(after.count <= 4, "\(after.count) threads")
            }
        }

        @Test(
            "A process that does nothing that has opened and closed a store many times has threads, descriptors and memory as at the start"
        )
        func openAndClose() async throws {
            try await withTemporaryDirectory { directory in
                let worker = try Worker(
                    "open-and-close", "\(directory)/Settings.plist", "\(Rounds.choose(300, full: 10_000))")
                var usages: [[Int]] = []
                for await line in worker.lines { usages.append(line.split(separator: " ").compactMap { Int($0) }) }
                #expect(await worker.status() == 0)
                try #require(usages.map(\.count) == [3, 3, 1])
                let (start, end, peak) = (usages[0], usages[1], usages[2][0])
                // Width of the background, its keeper and one that is idle, two of Dispatch for events, the main thread, and
                // some that are just ending.
                #expect(peak <= 16, "\(peak) threads at once")
                #expect(end[0] <= start[0], "threads: \(start[0]), then \(end[0])")
                #expect(end[1] <= start[1], "descriptors: \(start[1]), then \(end[1])")
                #expect(end[2] <= start[2] + 16_384, "KiB: \(start[2]), then \(end[2])")
            }
        }

        @Test(
            "A process that does nothing but open, read and exit watches nothing, and has no thread but one that sleeps",
            .enabled(if: Tool("strace").isInstalled, "strace is not installed"))
        func reader() async throws {
            try await withTemporaryDirectory { directory in
                let path = "\(directory)/Settings.plist"
                try write(xml("<key>a</key><integer>7</integer>"), to: path)
                let trace = "\(directory)/trace"
                let result = try await Tool("strace").run(["-f", "-o", trace, Worker.path(), "read", path])
                #expect(result.status == 0 && result.output == "7\n", "\(result.output)")
                let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
                func count(_ name: String) -> Int { calls.count { $0.contains(" \(name)(") } }
                for name in ["inotify_init1", "inotify_add_watch", "epoll_create1", "timerfd_create", "eventfd2"] {
                    #expect(count(name) == 0, "\(name)")
                }
                #expect(count("clone3") + count("clone") <= 1)
            }
        }
    }
#endif
