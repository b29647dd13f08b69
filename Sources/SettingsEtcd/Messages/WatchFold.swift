#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Joins the fragments of a watch's messages, and groups the events by their revision: those of one revision were made by one
/// transaction.
struct WatchFold {
    /// The events of one revision.
    struct Revision: Equatable {
        let number: Int64
        var events: [WatchAnswer.Event]
    }

    /// How many bytes of fragments are kept at most.
    let limit: Int
    private var events: [WatchAnswer.Event] = []
    private var size = 0

    init(limit: Int) { self.limit = limit }

    /// Adds a message.
    ///
    /// - Returns: What is complete now, in the order of the revisions; empty while fragments are missing.
    mutating func add(_ answer: WatchAnswer) throws(GatewayFailure) -> [Revision] {
        size += answer.events.reduce(0) { $0 + $1.entry.key.count + $1.entry.value.count + 64 }
        guard size <= limit else { throw .tooLong(limit: limit) }
        events += answer.events
        if answer.isFragment { return [] }
        defer { (events, size) = ([], 0) }
        var revisions: [Revision] = []
        for event in events {
            let number = event.entry.modRevision
            if let last = revisions.last, last.number == number {
                revisions[revisions.count - 1].events.append(event)
            } else {
                guard number > revisions.last?.number ?? 0 else { throw .notEtcd(status: 200) }
                revisions.append(Revision(number: number, events: [event]))
            }
        }
        return revisions
    }
}
