import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Decides when the background prints the changes in the log to the property list, so that neither the bytes written nor the time taken
/// grow out of proportion to the changes, however large the file is.
///
/// Printing writes the whole file. After the pause that follows the last run, it is due as soon as one of these holds:
///
/// - The log has grown by a share of the file: each byte of a change then costs a few bytes of printing.
/// - No change was made for a while, which is longer for a larger file.
/// - A change has waited for as long as it may.
struct PrintingPace: Sendable {
    /// What is known of the files.
    struct State {
        /// The end of the last change, and of the property list's contents, in the history of logs.
        var position: Int64
        var printed: Int64
        /// The size of the property list.
        var fileSize: Int64
        /// Whether the property list is missing, or must be written although it is complete.
        var isRequired = false
        /// Whether the property list was edited while it lacked changes: its editor must see them soon.
        var isEdited = false
        /// Whether another process has made the last change, and will probably print it.
        var isOthers = false
    }

    /// The longest time that a change may be missing from the property list. Nil for a time in proportion to the file's size.
    var lag: Duration?
    /// The last change that was seen, and when.
    private var seen: (position: Int64, since: ContinuousClock.Instant)?
    /// The printed position when the oldest missing change was seen, and the time.
    private var missing: (printed: Int64, since: ContinuousClock.Instant)?
    private var lastRun: (end: ContinuousClock.Instant, elapsed: Duration, processor: Duration)?

    init(lag: Duration? = nil) { self.lag = lag }

    /// Returns the time until the next look at the files. Nil if printing is due.
    mutating func wait(for state: State, now: ContinuousClock.Instant) -> Duration? {
        if seen?.position != state.position { seen = (state.position, now) }
        if missing?.printed != state.printed { missing = (state.printed, now) }
        guard let seen, let missing, !state.isRequired else { return nil }
        // The process that has made the change comes first.
        let factor = state.isOthers ? 1.25 : 1
        let grace: Duration = state.isOthers ? PropertyListTimings.othersDelay : .zero
        let growth = state.position - state.printed
        var wait = min(
            seen.since - now + Self.quietTime(state) * factor + grace,
            missing.since - now + (lag ?? Self.lag(ofSize: state.fileSize)) * factor + grace)
        if growth >= Int64(Double(Self.growth(forSize: state.fileSize)) * factor) { wait = .zero }
        if let lastRun { wait = max(wait, lastRun.end - now + pause(after: lastRun, growth, state)) }
        // The timer may be a little early.
        return wait <= .milliseconds(1) ? nil : min(wait, PropertyListTimings.longestLook)
    }

    /// Records the end of a run.
    ///
    /// - Parameters:
    ///   - elapsed: The duration of the run.
    ///   - processor: The processor time of the run.
    mutating func didPrint(at now: ContinuousClock.Instant, elapsed: Duration, processor: Duration) {
        lastRun = (now, elapsed, processor)
    }

    /// The growth of the log before the property list is printed.
    static func growth(forSize size: Int64) -> Int64 {
        min(max(PropertyListTimings.smallestGrowth, size / 4), PropertyListTimings.largestGrowth)
    }

    /// The longest time that a change may be missing from a property list of a given size during continuous changes.
    static func lag(ofSize size: Int64) -> Duration {
        max(PropertyListTimings.shortestLag, .seconds(Double(size) / PropertyListTimings.steadyRate))
    }

    /// The time without changes before a property list of a given size is printed.
    static func quietTime(ofSize size: Int64) -> Duration {
        max(PropertyListTimings.shortestQuiet, .seconds(Double(size) / PropertyListTimings.quietRate))
    }

    private static func quietTime(_ state: State) -> Duration {
        state.isEdited ? PropertyListTimings.editedQuiet : quietTime(ofSize: state.fileSize)
    }

    private func pause(
        after run: (end: ContinuousClock.Instant, elapsed: Duration, processor: Duration), _ growth: Int64,
        _ state: State
    ) -> Duration {
        let ofTime = run.elapsed / PropertyListTimings.shareOfTime
        // A log that grows much faster than it is printed must not reach the length at which it is rewritten.
        if lag != nil || growth >= Self.growth(forSize: state.fileSize) * 4 { return ofTime }
        return max(ofTime, run.processor / PropertyListTimings.shareOfCore)
    }
}

/// The processor time that was used.
enum ProcessorTime {
    /// The time of the calling thread, since it began.
    static var ofThread: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
