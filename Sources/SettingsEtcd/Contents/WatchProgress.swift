/// What a watch has told since it was created. Pure.
struct WatchProgress {
    /// When the watch has told something last; nil before it was created.
    private(set) var heard: ContinuousClock.Instant?
    private var fold: WatchFold
    /// Whether the member was behind what is known when it was asked last.
    private var isBehind = false

    init(sizeLimit: Int) { fold = WatchFold(limit: sizeLimit) }

    /// Takes a message.
    ///
    /// - Parameter newest: The newest revision that is known from elsewhere.
    /// - Returns: What is complete now, in the order of the revisions.
    /// - Throws: A failure if the watch has ended, or is still behind what was known when the member was asked before.
    mutating func take(
        _ answer: WatchAnswer, newest: Int64, at now: ContinuousClock.Instant = .now
    ) throws(GatewayFailure) -> [WatchFold.Revision] {
        if answer.isCancelled {
            throw answer.compactRevision > 0 ? .compacted : .disconnected("the watch was cancelled")
        }
        if answer.isCreated || heard != nil { heard = now }
        // Only an answer to a question, or the creation.
        guard !answer.events.isEmpty || answer.isFragment else {
            defer { isBehind = answer.header.revision < newest }
            if isBehind, answer.header.revision < newest { throw .disconnected("the watch is behind") }
            return []
        }
        return try fold.add(answer)
    }
}
