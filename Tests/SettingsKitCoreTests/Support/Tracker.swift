import Foundation
import Observation
import SettingsKitCore
import SettingsTestSupport

/// The ways to read a setting that the Observation framework follows.
enum TrackedHandle: CaseIterable {
    case value, persisted, field

    /// The setting that the handle reads; for a field, a setting over the same stored value.
    var number: SettingsService.Setting<Int> {
        SettingsService.Setting("counters:number", in: .defaults, default: 0)
    }

    /// A function that reads the number through a new handle.
    func reader(in settings: SettingsService) throws -> @Sendable () -> Int {
        switch self {
        case .value:
            let live = settings.value(number)
            return { live.value }
        case .persisted:
            let number = number
            let object = PersistedNumber(Persisted(number, in: settings))
            return { object.number }
        case .field:
            let record = try SettingsStorage<Counters>(name: "counters", in: settings)
            return { record.number }
        }
    }

    private final class PersistedNumber: Sendable {
        private let wrapper: Persisted<Int>
        var number: Int { wrapper.wrappedValue }

        init(_ wrapper: Persisted<Int>) { self.wrapper = wrapper }
    }

    private struct Counters: SettingsRecord {
        var number = 0
        var name = ""

        static let empty = Counters()
    }
}

/// Reads a value in a closure during which another thread changes it, and goes on reading whenever it is notified.
final class Tracker: Sendable {
    let seen = Box(-1)
    let readCount = Box(0)
    private let read: Box<(@Sendable () -> Int)?>
    private let rereading: @Sendable () -> Void
    /// Reads again here: a task would wait for a thread that other tests keep.
    private let queue = DispatchQueue(label: "Tracker")

    /// - Parameters:
    ///   - read: Reads the value.
    ///   - rereading: Runs after each reading that a notification has caused, before the tracker is installed.
    init(rereading: @escaping @Sendable () -> Void = {}, _ read: @escaping @Sendable () -> Int) {
        self.read = Box(read)
        self.rereading = rereading
    }

    convenience init(_ live: SettingsService.Value<Int>) { self.init { live.value } }

    /// Ends the circle of the value, its tracker and this object.
    func stop() { read.value = nil }

    /// - Returns: what was read.
    @discardableResult
    func track(afterReading body: () -> Void = {}) -> Int? {
        guard let read = read.value else { return nil }
        return withObservationTracking {
            let value = read()
            body()
            seen.value = value
            readCount.value += 1
            return value
        } onChange: { [self] in
            // Not inside of the notification, as a view does not, either.
            queue.async { self.track(afterReading: self.rereading) }
        }
    }
}

/// How often one tracking was notified, on whatever threads.
final class CallCounter: Sendable {
    private let calls = Atomic(0)
    var count: Int { calls.load(ordering: .relaxed) }

    func add() { calls.add(1, ordering: .relaxed) }
}

/// Keeps the processor busy, as the body of a view does.
func work(for duration: Duration) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {}
}
