#if canImport(Glibc)
    import Foundation
    import Testing

    @testable import SettingsKitPlatform

    import Glibc

    @Suite("Other files beside a watched path", .timeLimit(Rounds.timeLimit))
    struct WatchedNamesTests {
        /// A watcher, and a second inotify instance from which the same events are requested: it has events that no thread
        /// has read if the watcher's thread was woken.
        private final class Mirror: Sendable {
            let requests = Recorder<String>()
            let watcher: DirectoryWatcher
            private let instance: Int32

            /// - Parameter base: The directories above it cannot be watched, so that other tests' files have no effect.
            init(below base: String = "/") throws {
                let instance = try InotifyCalls.system.makeInstance()
                var calls = InotifyCalls.system
                calls.addWatch = { [requests] (real, path, mask) throws(SystemError) in
                    guard path.hasPrefix(base) else { throw SystemError(call: "test", path: path, number: EACCES) }
                    requests.append(path)
                    _ = try InotifyCalls.system.addWatch(instance, path, mask)
                    return try InotifyCalls.system.addWatch(real, path, mask)
                }
                watcher = DirectoryWatcher(observer: PathObserver(calls: calls))
                self.instance = instance
            }

            deinit { close(instance) }

            /// The size of the events since the last call.
            func takeEvents() -> Int {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                return max(0, read(instance, &buffer, buffer.count))
            }
        }

        /// What other programs do in a directory.
        private static func useOtherFiles(in directory: String) throws {
            try write("1", to: "\(directory)/stranger")
            try move("\(directory)/stranger", to: "\(directory)/renamed")
            try #require(chmod("\(directory)/renamed", 0o600) == 0)
            try removeAll("\(directory)/renamed")
            try makeDirectory("\(directory)/strangers")
            try removeAll("\(directory)/strangers")
        }

        @Test(
            "Files that are made, renamed and removed in the directories above wake no thread",
            arguments: ["x/y", "link/y", "x/link", "x/beside/../y", "x/y/missing/too"])
        func above(path: String) throws {
            try withTemporaryDirectory { base in
                for name in ["x", "x/y", "x/beside"] { try makeDirectory("\(base)/\(name)") }
                for name in ["x/y/other", "x/beside/other"] { try write("1", to: "\(base)/\(name)") }
                try link("\(base)/link", to: "x")
                try link("\(base)/x/link", to: "../x/y")
                let mirror = try Mirror()
                let events = WatchedEvents()
                let watch = try mirror.watcher.watch("\(base)/\(path)", events)
                _ = mirror.takeEvents()
                for directory in [base, "\(base)/x"] { try Self.useOtherFiles(in: directory) }
                #expect(mirror.takeEvents() == 0)
                #expect(events.all.isEmpty && watch.isWorking)
            }
        }

        @Test("After a directory has received a file, those above it soon wake no thread", arguments: [false, true])
        func firstFile(isMissing: Bool) async throws {
            try await withTemporaryDirectory { base in
                try makeDirectory("\(base)/x")
                let directory = "\(base)/x/y"
                if !isMissing { try makeDirectory(directory) }
                let mirror = try Mirror()
                let events = WatchedEvents()
                let watch = try mirror.watcher.watch(directory, events)
                if isMissing {
                    try makeDirectory(directory)
                    await events.wait(for: .unknown)
                }
                try write("1", to: "\(directory)/a")
                let isQuiet = try await eventually {
                    _ = mirror.takeEvents()
                    for directory in [base, "\(base)/x"] { try Self.useOtherFiles(in: directory) }
                    return mirror.takeEvents() == 0
                }
                #expect(isQuiet)
                // The directory is followed as before.
                try removeAll("\(base)/x")
                for path in ["\(base)/x", directory] { try makeDirectory(path) }
                try await events.settle(directory)
                watch.cancel()
            }
        }

        @Test("After a watch of the directory above has ended, files there soon wake no thread")
        func otherWatchEnded() async throws {
            try await withTemporaryDirectory { base in
                let directory = "\(base)/x"
                try makeDirectory(directory)
                try write("1", to: "\(directory)/other")
                let mirror = try Mirror()
                let (above, events) = (WatchedEvents(), WatchedEvents())
                let other = try mirror.watcher.watch(base, above)
                let watch = try mirror.watcher.watch(directory, events)
                try await above.settle(base)
                other.cancel()
                let isQuiet = try await eventually {
                    _ = mirror.takeEvents()
                    try Self.useOtherFiles(in: base)
                    return mirror.takeEvents() == 0
                }
                #expect(isQuiet)
                try await events.settle(directory)
                #expect(!events.all.contains(.unknown))
                // It is watched by the same descriptor again.
                let again = try mirror.watcher.watch(base, above)
                try await above.settle(base)
                again.cancel()
                watch.cancel()
            }
        }

        @Test("Files that come and go in the watched directory cost no requests", arguments: [false, true])
        func comingAndGoing(isAlone: Bool) async throws {
            try await withTemporaryDirectory { base in
                let directory = "\(base)/x"
                try makeDirectory(directory)
                if !isAlone { try write("1", to: "\(directory)/other") }
                let mirror = try Mirror(below: base)
                let events = WatchedEvents()
                let watch = try mirror.watcher.watch(directory, events)
                func comeAndGo() async throws {
                    for _ in 0..<1_000 {
                        try write("1", to: "\(directory)/b")
                        try removeAll("\(directory)/b")
                    }
                    try await events.settle(directory)
                    try removeAll("\(directory)/end")
                    try write("1", to: "\(directory)/a")
                    await events.wait(for: .changed(name: "a"))
                    try removeAll("\(directory)/a")
                    await events.wait(for: .changed(name: "a"))
                }
                try await comeAndGo()
                let before = mirror.requests.count
                try await comeAndGo()
                #expect(mirror.requests.count == before)
                #expect(!events.all.contains(.unknown))
                watch.cancel()
            }
        }

        @Test("A directory that is exchanged with another is followed, also above", arguments: ["a", "a/b"])
        func exchanged(path: String) async throws {
            try await withTemporaryDirectory { base in
                for name in ["a", "a/b", "c", "c/b"] { try makeDirectory("\(base)/\(name)") }
                for name in ["a/b/other", "c/b/other"] { try write("1", to: "\(base)/\(name)") }
                let watcher = DirectoryWatcher()
                let events = WatchedEvents()
                let watch = try watcher.watch("\(base)/\(path)", events)
                for _ in 0..<2 {
                    try exchange("\(base)/a", "\(base)/c")
                    await events.wait(for: .unknown)
                    try await events.settle("\(base)/\(path)")
                }
                #expect(watch.isWorking)
            }
        }
    }
#endif
