/// The times of services, layers and stores that wait to be opened. Stores that keep files have their own.
package enum CoreTimings {
    /// The pause between two attempts to read a layer that using the store starts.
    static let layerPause = Duration.milliseconds(100)
    /// The pauses between two attempts in the background to open a store: the first, and the longest.
    static let firstRecoveryPause = Duration.milliseconds(100)
    static let longestRecoveryPause = Duration.seconds(2)
    /// The time after the last change of a burst before observation trackers, some of which may have missed it, are notified again.
    static let trackerPause = Duration.milliseconds(100)
}
