/// The progress of a watch since its creation. Pure.
struct WatchProgress {
    /// The time of the watch's last message; nil before its creation.
    private(set) var lastMessage: ContinuousClock.Instant?
    private var fold: WatchFold
    /// Whether the member was behind the known revision at the last question.
    private var isBehind = false

    init(sizeLimit: Int) { fold = WatchFold(limit: sizeLimit) }

    /// Applies a message.
    ///
    /// - Parameter newest: The newest revision known from another source.
    /// - Returns: The complete revisions, in order.
    /// - Throws: A failure if the watch has ended, or is still behind a revision that was known at the previous question.
    mutating func apply(
        _ answer: WatchAnswer, newest: Int64, at now: ContinuousClock.Instant = .now
    ) throws(GatewayFailure) -> [WatchFold.Revision] {
        if answer.isCancelled {
            throw answer.compactRevision > 0 ? .compacted : .disconnected("the watch was cancelled")
        }
        if answer.isCreated || lastMessage != nil { lastMessage = now }
        // Only an answer to a question, or the creation.
        guard !answer.events.isEmpty || answer.isFragment else {
            defer { isBehind = answer.header.revision < newest }
            if isBehind, answer.header.revision < newest { throw .disconnected("the watch is behind") }
            return []
        }
        return try fold.add(answer)
    }
}
