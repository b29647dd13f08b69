import Dispatch

/// Runs work in the background, one piece after another.
///
/// Each queue has a thread of Dispatch while it runs work, so that work that hangs does not block other stores.
package final class BackgroundQueue: Sendable {
    package typealias Work = @Sendable () -> Void

    private let queue = DispatchQueue(label: "SettingsKit", qos: .utility, autoreleaseFrequency: .workItem)

    /// Creates a queue. It costs almost nothing until it is used.
    package init() {}

    /// Runs work that may block for a long time, beside all other work, with the priority of the caller.
    package static func run(_ work: @escaping Work) { DispatchQueue(label: "SettingsKit").async(execute: work) }

    /// Runs work soon.
    package func async(_ work: @escaping Work) { queue.async(execute: work) }

    /// Runs work after what was added before, and returns when it has run.
    func sync(_ work: () -> Void) { queue.sync(execute: work) }

    /// Runs work after a delay.
    package func async(after delay: Duration, _ work: @escaping Work) { async(at: .now() + delay, work) }

    func async(at moment: DispatchTime, _ work: @escaping Work) {
        queue.asyncAfter(deadline: moment, execute: work)
    }
}

extension DispatchTime {
    static func + (moment: DispatchTime, duration: Duration) -> DispatchTime {
        moment + DispatchTimeInterval.nanoseconds(Int(clamping: duration.countedNanoseconds))
    }

    /// The next moment at which this period ends, if the periods follow each other.
    ///
    /// Work that is due at the end of one period wakes the process once, however much it is.
    static func end(of period: Duration) -> DispatchTime {
        let (now, length) = (now().uptimeNanoseconds, UInt64(period.countedNanoseconds))
        return DispatchTime(uptimeNanoseconds: now - now % length + length)
    }
}
