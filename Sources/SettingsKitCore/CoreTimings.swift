/// The times of services, layers and stores that wait to be opened. Stores that keep files have their own.
package enum CoreTimings {
    /// The pause between two attempts to read a layer that using the store starts.
    static let layerPause = Duration.milliseconds(100)
    /// The pauses between two attempts in the background to open a store: the first, and the longest.
    static let firstRecoveryPause = Duration.milliseconds(100)
    static let longestRecoveryPause = Duration.seconds(12)
    /// The pause between two attempts that using such a store starts.
    package static let recoveryUsePause = Duration.milliseconds(100)
    /// The pauses before observation trackers that may have missed a change are notified again.
    static let trackerPauses: [Duration] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000].map { .milliseconds($0) }
}
