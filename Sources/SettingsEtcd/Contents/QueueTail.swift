/// The last writes of the queue that fit into one transaction. Pure.
///
/// A later write of a name among them replaces an earlier one: other clients could never see the value between them, because one
/// transaction writes both. So an outage makes the queue no longer than the number of settings.
struct QueueTail {
    /// The last write of each name.
    private var writes: [String: QueuedWrite.ID] = [:]
    private var size = 0

    /// The write that stores only one name, if there is one.
    subscript(name: String) -> QueuedWrite.ID? { writes[name] }

    /// Adds the last write of the queue. A write that does not fit, or must not share a transaction, begins another tail.
    ///
    /// - Parameter sizeLimit: The greatest size of a transaction in bytes.
    mutating func append(_ write: QueuedWrite, sizeLimit: Int) {
        let new = write.writes.keys.count { writes[$0] == nil }
        let isShared = write.expectations.isEmpty && !write.writes.isEmpty
        if !isShared || writes.count + new > EtcdLimits.operations || size + write.size > sizeLimit {
            self = QueueTail()
        }
        if !isShared { return }
        size += write.size
        for name in write.writes.keys { writes[name] = write.id }
    }

    /// Replaces an earlier write.
    ///
    /// - Returns: Whether the new one fits.
    mutating func replace(_ earlier: QueuedWrite, by write: QueuedWrite, sizeLimit: Int) -> Bool {
        guard size + write.size - earlier.size <= sizeLimit else { return false }
        size += write.size - earlier.size
        return true
    }
}
