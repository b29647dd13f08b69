import Foundation
import Observation
import SettingsKitCore

/// Reads a value in a closure during which another thread changes it, and goes on reading whenever it is notified.
final class Tracker: Sendable {
    let seen = Box(-1)
    let readCount = Box(0)
    private let live: Box<SettingsService.Value<Int>?>
    /// Reads again here: a task would wait for a thread that other tests keep.
    private let queue = DispatchQueue(label: "Tracker")

    init(_ live: SettingsService.Value<Int>) { self.live = Box(live) }

    /// Ends the circle of the value, its tracker and this object.
    func stop() { live.value = nil }

    /// - Returns: what was read.
    @discardableResult
    func track(afterReading body: () -> Void = {}) -> Int? {
        guard let live = live.value else { return nil }
        return withObservationTracking {
            let value = live.value
            body()
            seen.value = value
            readCount.value += 1
            return value
        } onChange: { [self] in
            // Not inside of the notification, as a view does not, either.
            queue.async { self.track() }
        }
    }
}

/// Keeps the processor busy, as the body of a view does.
func work(for duration: Duration) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {}
}
