#if canImport(Glibc)
    import Foundation
    import SettingsTestSupport
    import Testing

    @testable import SettingsKitPlatform

    import Glibc

    @Suite("The thread that reads inotify", .timeLimit(Rounds.timeLimit))
    struct InotifyReaderTests {
        private final class Token: Sendable {}

        /// Starts a reader whose thread keeps a token.
        private func start(
            _ instance: Int32, _ events: Recorder<String>
        ) throws -> (reader: InotifyReader, token: @Sendable () -> Token?) {
            let token = Token()
            let reader = try InotifyReader(instance, pause: .microseconds(200)) { new in
                withExtendedLifetime(token) { for event in new { events.append(event.name ?? "") } }
            }
            return (reader, { [weak token] in token })
        }

        @Test("It delivers events in order, and ends with its reader, also while it has nothing to read")
        func end() async throws {
            try await withTemporaryDirectory { directory in
                let events = Recorder<String>()
                let instance = try InotifyCalls.system.makeInstance()
                var started: (reader: InotifyReader, token: @Sendable () -> Token?)? = try start(instance, events)
                _ = try InotifyCalls.system.addWatch(instance, directory, UInt32(IN_CREATE))
                let names = (0..<50).map { "\($0)" }
                for name in names { try write("1", to: "\(directory)/\(name)") }
                #expect(try await eventually { events.all == names })
                let token = started?.token
                #expect(token?() != nil)
                started = nil
                #expect(try await eventually { token?() == nil })
            }
        }

        @Test("Watches whose instance the program has closed say that they do not work any more")
        func closed() async throws {
            try await withTemporaryDirectory { directory in
                let made = Recorder<Int32>()
                var calls = InotifyCalls.system
                calls.makeInstance = { () throws(SystemError) in
                    let instance = try InotifyCalls.system.makeInstance()
                    made.append(instance)
                    return instance
                }
                let watcher = DirectoryWatcher(observer: PathObserver(calls: calls))
                let events = WatchedEvents()
                let watch = try watcher.watch(directory, events)
                let instance = try #require(made.all.first)
                // In the place of closing it, so that no other test's file gets the number: no instance of inotify.
                let other = try POSIXFileSystem().create("\(directory)/other")
                #expect(dup2(other.descriptor, instance) == instance)
                POSIXFileSystem().close(other)
                // The thread waits with the closed instance, until there is an event.
                try write("1", to: "\(directory)/a")
                await events.wait(for: .unknown)
                #expect(!watch.isWorking)
            }
        }
    }
#endif
