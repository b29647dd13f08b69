import Foundation
import Testing

@testable import SettingsKitPlatform

/// A system that writes down what it is asked, and answers when a test says so.
private final class SystemDouble: SuspensionControl {
    private struct State {
        var events: [String] = []
        var answers: [Int: @Sendable (Bool) -> Void] = [:]
        /// Answers each activity as soon as it begins.
        var standing: Bool?
    }

    private let state: Mutex<State>
    /// Adds what else a test wants to know at each event.
    let note = Box<(@Sendable () -> String)?>(nil)

    init(answering standing: Bool? = nil) { state = Mutex(State(standing: standing)) }

    var events: [String] { state.withLock { $0.events } }

    func begin(_ activity: Int, answer: @escaping @Sendable (Bool) -> Void) {
        add("begin \(activity)")
        let standing = state.withLock { state in
            state.answers[activity] = answer
            return state.standing
        }
        if let standing { answer(standing) }
    }

    func end(_ activity: Int) { add("end \(activity)") }

    func add(_ event: String) {
        let event = event + (note.value?() ?? "")
        state.withLock { $0.events.append(event) }
    }

    /// Answers the activity, from another thread as the system does.
    func answer(_ activity: Int, _ isGranted: Bool) {
        let answer = state.withLock { $0.answers[activity] }
        onAnotherThread { answer?(isGranted) }
    }
}

@Suite("The activity around locks on files", .timeLimit(Rounds.timeLimit))
struct LockActivityTests {
    private let system = SystemDouble()

    private struct Failure: Error {}

    /// Holds a lock for a moment.
    private static func hold(_ activity: LockActivity, _ body: () -> Void = {}) {
        activity.begin()
        defer { activity.end() }
        body()
    }

    @Test("An activity begins before a lock is taken, and ends after the lock is released", arguments: [true, false])
    func bracket(isClosed: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/f"
            let fileSystem = POSIXFileSystem(lockActivity: LockActivity(system, lingering: .zero))
            let other = POSIXFileSystem(lockActivity: nil)
            let (file, otherFile) = (try fileSystem.create(path), try other.openForReading(path))
            defer { other.close(otherFile) }
            // Whether the file is locked at the moment.
            system.note.value = {
                guard (try? other.lock(otherFile)) == true else { return ", locked" }
                other.unlock(otherFile)
                return ", free"
            }
            #expect(try fileSystem.lock(file))
            system.add("in between")
            if isClosed { fileSystem.close(file) } else { fileSystem.unlock(file) }
            try await until { system.events.count == 3 }
            #expect(system.events == ["begin 1, free", "in between, locked", "end 1, free"])
            if !isClosed { fileSystem.close(file) }
        }
    }

    @Test("An activity ends after a lock that is taken, that fails, or whose owner throws")
    func failures() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/f"
            let fileSystem = POSIXFileSystem(lockActivity: LockActivity(system, lingering: .zero))
            let (one, other) = (try fileSystem.create(path), try fileSystem.openForReading(path))
            #expect(try fileSystem.lock(one))
            // A second time is the same lock, and another file waits in vain.
            #expect(try fileSystem.lock(one))
            #expect(try !fileSystem.lock(other))
            #expect(system.events == ["begin 1"])
            fileSystem.close(one)
            fileSystem.unlock(other)
            fileSystem.close(other)
            try await until { system.events.count == 2 }
            // No file has this descriptor. The number of a closed file may be in use again, by another test.
            #expect(throws: SystemError.self) { try fileSystem.lock(FileHandle(descriptor: -1, path: path)) }
            try await until { system.events.count == 4 }
            #expect(throws: Failure.self) {
                let activity = LockActivity(system, lingering: .zero)
                activity.begin()
                defer { activity.end() }
                throw Failure()
            }
            try await until { system.events.count == 6 }
            #expect(system.events == ["begin 1", "end 1", "begin 2", "end 2", "begin 1", "end 1"])
        }
    }

    @Test("One activity covers all locks until none was held for a while")
    func lingering() async throws {
        let activity = LockActivity(system, lingering: .milliseconds(200))
        for _ in 0..<1_000 { Self.hold(activity) }
        #expect(system.events == ["begin 1"])
        Self.hold(activity) {
            Self.hold(activity) { #expect(system.events == ["begin 1"]) }
        }
        try await until { system.events.count == 2 }
        #expect(system.events == ["begin 1", "end 1"])
        Self.hold(activity)
        #expect(system.events == ["begin 1", "end 1", "begin 2"])
    }

    @Test("An activity whose time is over ends with its last lock, and the next lock begins another one")
    func expired() {
        let activity = LockActivity(system, lingering: .seconds(3_600))
        Self.hold(activity) {
            system.answer(1, true)
            Self.hold(activity) { system.answer(1, false) }
            #expect(system.events == ["begin 1"])
        }
        #expect(system.events == ["begin 1", "end 1"])
        Self.hold(activity)
        #expect(system.events == ["begin 1", "end 1", "begin 2"])
        // Without a lock, it ends at once.
        system.answer(2, false)
        #expect(system.events == ["begin 1", "end 1", "begin 2", "end 2"])
        // Late answers concern nothing.
        for number in 1...2 { system.answer(number, true) }
        Self.hold(activity)
        #expect(system.events.last == "begin 3")
    }

    @Test(
        "Work in the background waits for the answer, and learns whether it may take locks", arguments: [true, false])
    func work(isGranted: Bool) {
        let activity = LockActivity(system, lingering: .seconds(3_600))
        let told = Recorder<Bool>()
        activity.beginWork { told.append($0) }
        #expect(told.all.isEmpty)
        system.answer(1, isGranted)
        #expect(told.all == [isGranted])
        // While it is under way, other work need not wait.
        activity.beginWork { told.append($0) }
        #expect(told.all == [isGranted, isGranted])
        for _ in 0..<2 { activity.end() }
        #expect(system.events == (isGranted ? ["begin 1"] : ["begin 1", "end 1"]))
    }

    @Test("A write in the background that the system refuses is made when it agrees")
    func writing() async throws {
        let writes = Recorder<[String]>()
        let activity = LockActivity(system, lingering: .zero)
        let writer = WriteBehind(delay: .milliseconds(1), lockActivity: activity)
        writer.begin { [system] in
            writes.append(system.events)
            return true
        } report: {
            Issue.record($0)
        }
        writer.schedule()
        try await until { system.events.count == 1 }
        system.answer(1, false)
        // The next attempt.
        try await until { system.events.count == 3 }
        #expect(writes.all.isEmpty)
        system.answer(2, true)
        try await until { system.events.count == 4 }
        #expect(writes.all == [["begin 1", "end 1", "begin 2"]])
        #expect(system.events == ["begin 1", "end 1", "begin 2", "end 2"])
    }

    @Test("Several threads take locks, and every activity that begins ends once")
    func severalThreads() async throws {
        let system = SystemDouble(answering: true)
        let activity = LockActivity(system, lingering: .milliseconds(1))
        inParallel(4) { _ in
            for _ in 0..<1_000 { Self.hold(activity) }
        }
        func numbers(_ word: String) -> [String] {
            system.events.filter { $0.hasPrefix(word) }.map { String($0.dropFirst(word.count)) }.sorted()
        }
        try await until { numbers("begin") == numbers("end") }
        #expect(Set(numbers("begin")).count == numbers("begin").count)
    }
}
