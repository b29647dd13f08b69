#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Joins the fragments of a watch's messages, and groups the events by revision: one transaction has made all events of a
/// revision.
struct WatchFold {
    /// The events of one revision.
    struct Revision: Equatable {
        let number: Int64
        var events: [WatchAnswer.Event]
    }

    /// The greatest number of bytes of one revision.
    let limit: Int
    /// The revision that the next fragment may continue.
    private var last: Revision?
    private var size = 0

    init(limit: Int) { self.limit = limit }

    /// Adds a message.
    ///
    /// - Returns: The complete revisions, in order. Only the events of a fragment's last revision are kept, so that missed events
    ///   take no more memory than one message.
    mutating func add(_ answer: WatchAnswer) throws(GatewayFailure) -> [Revision] {
        var revisions = last.map { [$0] } ?? []
        for event in answer.events {
            let number = event.entry.modRevision
            if revisions.last?.number == number {
                revisions[revisions.count - 1].events.append(event)
            } else {
                guard number > revisions.last?.number ?? 0 else { throw .notEtcd(status: 200) }
                revisions.append(Revision(number: number, events: [event]))
                size = 0
            }
            size += event.entry.key.count + event.entry.value.count + 64
            guard size <= limit else { throw .tooLong(limit: limit) }
        }
        last = answer.isFragment ? revisions.popLast() : nil
        return revisions
    }
}
