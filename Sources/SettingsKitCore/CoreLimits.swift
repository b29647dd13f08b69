/// The limits of services and their values.
package enum CoreLimits {
    // MARK: Diagnostics

    /// The number of errors that a new stream of diagnostics begins with.
    static let recentErrors = 64
    /// The number of causes that are remembered, so that each is reported once.
    static let reportedCauses = 10_000
    /// The number of errors that can wait for the reader of a stream of diagnostics.
    static let waitingErrors = 1_024
    /// The number of errors of a store that can wait for the first listener.
    static let unheardErrors = 32

    // MARK: Changes

    /// The number of changes of a setting, and of sets of changes, that can wait before new ones are merged into them.
    static let pendingChanges = 1_024
    /// The number of changes of a setting, and of sets of changes, that can wait for the reader of a sequence.
    static let waitingChanges = 1_024
    static let waitingChangeSets = 64

    // MARK: Attempts

    /// The number of runs after which a transaction fails. Each time, another writer makes progress, so this many failures mean a
    /// store that never gives the same answer twice.
    static let transactionAttempts = 10_000
    /// The number of attempts of a migration while others change the same settings. The others make progress each time.
    static let migrationAttempts = 1_000
    /// The number of times that a value or a record is read again because it has changed meanwhile, before the last reading is
    /// used.
    static let readingAttempts = 100

    // MARK: Text

    /// The maximum number of levels of JSON. Deeper values are rejected, as by JSON decoders.
    package static let jsonDepth = 512
    /// The number of entries of a file without an effect that a check reports.
    static let fileFindings = 100
    /// The number of characters of a name that are compared with others, to find the intended one.
    static let comparedCharacters = 100
}

/// The times of services, layers and stores that wait to be opened. Stores that keep files have their own.
package enum CoreTimings {
    /// The pauses between two attempts in the background to open a store: the first, and the longest.
    static let firstRecoveryPause = Duration.milliseconds(100)
    static let longestRecoveryPause = Duration.seconds(2)
    /// The time after the last change of a burst before observation trackers, some of which may have missed it, are notified again.
    static let trackerPause = Duration.milliseconds(100)
}
