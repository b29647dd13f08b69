import Observation
import SettingsKitCore
import SettingsTestSupport
import Testing

@Suite("Tracking on several threads", .timeLimit(Rounds.timeLimit), .ownThreads)
struct TrackingConcurrencyTests {
    @Test(
        "A reader that tracks at each call ends on the stored value, whenever a writer changes it",
        arguments: TrackedHandle.allCases)
    func readerAndWriter(handle: TrackedHandle) async throws {
        let rounds = Rounds.choose(300, full: 10_000)
        let seed = UInt64.random(in: 0 ... .max)
        print("Tracking \(handle): seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let (settings, number) = (SettingsService.over(MemoryStore()), handle.number)
        var trackers: [Tracker] = []
        for round in 1...rounds {
            let lengths = (0..<8).map { _ in Duration.microseconds(Int.random(in: 0...200, using: &random)) }
            let pauses = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Duration.microseconds(Int.random(in: 0...150, using: &random))
            }
            let bodies = Box(0)
            let body: @Sendable () -> Void = {
                bodies.value += 1
                work(for: lengths[bodies.value % lengths.count])
            }
            // A handle that is new, over a value that trackers have read before except in the first round.
            let tracker = Tracker(rereading: body, try handle.reader(in: settings))
            defer { tracker.stop() }
            trackers.append(tracker)
            inParallel(2) { thread in
                if thread == 0 {
                    tracker.track(afterReading: body)
                } else {
                    for (number, pause) in pauses.enumerated() {
                        work(for: pause)
                        settings.set(handle.number, to: round * 10 + number)
                    }
                }
            }
            let stored = settings.get(number)
            #expect(stored == round * 10 + pauses.count - 1)
            try await until { tracker.seen.value == stored }
        }
        #expect(trackers.allSatisfy { $0.mostCalls <= 1 })
    }

    // The Observation framework of Swift 6.3 notifies a tracker of a plain `@Observable` class, which one thread changes, at
    // every later change if it was notified before it was installed completely. A key path whose argument is hashed brings
    // that about here: the framework hashes it between the two.
    @Test(
        "A tracker that is notified while it is being installed is not notified again",
        arguments: TrackedHandle.allCases)
    func notifiedWhileInstalled(handle: TrackedHandle) async throws {
        let (settings, number) = (SettingsService.over(MemoryStore()), handle.number)
        let read = try handle.reader(in: settings)
        var (hits, counters, gates) = (0, [CallCounter](), [InstallationGate]())
        // The order in which the framework installs a tracker is chance. The last gate nearly always comes after the value.
        for round in 1...500 where hits < 10 {
            let (calls, closed) = (CallCounter(), CallCounter())
            counters.append(calls)
            withObservationTracking {
                _ = read()
                for _ in 0..<8 {
                    gates.append(InstallationGate())
                    gates.last?.read(whenInstalled: {
                        closed.add()
                        if closed.count == 8 { onAnotherThread { settings.set(number, to: round) } }
                    })
                }
            } onChange: {
                calls.add()
            }
            #expect(settings.get(number) == round)
            if calls.count == 1 { hits += 1 }
            try await until { calls.count == 1 }
        }
        #expect(hits == 10)
        for value in 0..<20 {
            _ = read()
            settings.set(number, to: -value)
        }
        withExtendedLifetime(gates) { #expect(counters.allSatisfy { $0.count == 1 }) }
    }

    @Test(
        "Trackers on several threads end on the stored value when others set it at the same time",
        arguments: TrackedHandle.allCases)
    func manyTrackers(handle: TrackedHandle) async throws {
        let (settings, number) = (SettingsService.over(MemoryStore()), handle.number)
        for round in 1...20 {
            let read = try handle.reader(in: settings)
            let trackers = (0..<4).map { _ in Tracker(read) }
            defer { for tracker in trackers { tracker.stop() } }
            inParallel(6) { thread in
                if thread < trackers.count {
                    trackers[thread].track { work(for: .microseconds(20 * thread)) }
                } else {
                    for value in 0..<25 { settings.set(number, to: round * 100 + thread * 1_000_000 + value) }
                }
            }
            let stored = settings.get(number)
            try await until { trackers.allSatisfy { $0.seen.value == stored } }
        }
    }
}

/// An observable object that calls a function when the framework installs its tracker.
private final class InstallationGate: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let mark = Mark()

    /// - Parameter body: Is called when the tracker is installed here.
    func read(whenInstalled body: @escaping @Sendable () -> Void) {
        registrar.access(self, keyPath: \.[mark])
        mark.body.value = body
    }

    private subscript(mark: Mark) -> Void { () }

    private final class Mark: Hashable, Sendable {
        let body = Box<(@Sendable () -> Void)?>(nil)

        func hash(into hasher: inout Hasher) {
            body.take(replacingWith: nil)?()
            hasher.combine(ObjectIdentifier(self))
        }

        static func == (mark: Mark, other: Mark) -> Bool { mark === other }
    }
}
