import SettingsKitCore
import Testing

@testable import SettingsKitPlatform

@Suite("A change monitor")
struct ChangeMonitorConcurrencyTests {
    private struct Failure: Error {}

    /// Files whose polls answer what a test sets.
    private final class Files: ChangeMonitored {
        let place: ChangeMonitor.Place
        let result = Mutex<Result<Bool, any Error>>(.success(true))
        let polls = Recorder<Bool>()
        let reports = Recorder<Bool>()

        init(in directory: String) { place = .init(directory: directory, names: ["file"]) }

        var monitoredPlaces: [ChangeMonitor.Place] { [place] }
        var isQuiet: Bool { true }
        func isRelevant(_ event: DirectoryWatcher.Event) -> Bool { true }
        func poll() throws -> Bool {
            polls.append(true)
            return try result.withLock { $0 }.get()
        }
        func reportFailedPoll(_ error: any Error) { reports.append(true) }
    }

    private func monitor(_ files: Files) -> ChangeMonitor {
        let monitor = ChangeMonitor(interval: .seconds(3_600), pollsAfterFailure: false, queue: BackgroundQueue())
        monitor.monitor(files)
        return monitor
    }

    /// Polls once, and waits until that is done.
    private func poll(_ monitor: ChangeMonitor, _ files: Files) async throws {
        let count = files.polls.all.count
        monitor.pollSoon()
        #expect(try await eventually { files.polls.all.count > count })
    }

    @Test("The first of several failed polls in a row is reported, and the first after a success")
    func failures() async throws {
        let files = Files(in: "/")
        let monitor = monitor(files)
        files.result.withLock { $0 = .failure(Failure()) }
        try await poll(monitor, files)
        try await poll(monitor, files)
        #expect(try await eventually { files.reports.all.count == 1 })
        // A poll of files that are in use says nothing about them.
        files.result.withLock { $0 = .success(false) }
        try await poll(monitor, files)
        #expect(monitor.isFailing)
        files.result.withLock { $0 = .success(true) }
        try await poll(monitor, files)
        #expect(try await eventually { !monitor.isFailing })
        files.result.withLock { $0 = .failure(Failure()) }
        try await poll(monitor, files)
        #expect(try await eventually { files.reports.all.count == 2 })
    }

    @Test("A monitor polls when it starts and when its files change")
    func events() async throws {
        try await withTemporaryDirectory { directory in
            let files = Files(in: directory)
            let monitor = monitor(files)
            monitor.start()
            #expect(try await eventually { !files.polls.all.isEmpty })
            let count = files.polls.all.count
            try write("a", to: "\(directory)/file")
            #expect(try await eventually { files.polls.all.count > count })
            withExtendedLifetime(monitor) {}
        }
    }

    @Test("Many changes in a row take few announcements, the last of them after the last change")
    func announcements() async throws {
        let changes = Atomic(0)
        let announced = Atomic(0)
        let count = Atomic(0)
        let announcer = ChangeAnnouncer(pause: .milliseconds(20)) {
            announced.store(changes.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
            count.add(1, ordering: .sequentiallyConsistent)
        }
        for _ in 0..<10_000 {
            changes.add(1, ordering: .sequentiallyConsistent)
            announcer.announce()
        }
        #expect(try await eventually { announced.load(ordering: .sequentiallyConsistent) == 10_000 })
        #expect(count.load(ordering: .sequentiallyConsistent) < 1_000)
    }
}
