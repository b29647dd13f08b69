/// The last writes of the queue that one transaction can make. Pure.
///
/// A later write of a name among them replaces an earlier one: others could never see the value between the two, as the
/// transaction makes both. So an outage makes the queue no longer than the settings are many.
struct QueueTail {
    /// The last write of each name.
    private var writes: [String: QueuedWrite.ID] = [:]
    private var size = 0

    /// The write that stores nothing but one name, if there is one.
    subscript(name: String) -> QueuedWrite.ID? { writes[name] }

    /// Adds the last write of the queue. One that does not fit, or that others must not share, begins another tail.
    ///
    /// - Parameter sizeLimit: How many bytes a transaction may have.
    mutating func append(_ write: QueuedWrite, sizeLimit: Int) {
        let new = write.writes.keys.count { writes[$0] == nil }
        let isShared = write.expectations.isEmpty && !write.writes.isEmpty
        if !isShared || writes.count + new > PlannedTransaction.operationLimit || size + write.size > sizeLimit {
            self = QueueTail()
        }
        if !isShared { return }
        size += write.size
        for name in write.writes.keys { writes[name] = write.id }
    }

    /// Has a write replace an earlier one.
    ///
    /// - Returns: Whether there is room for it.
    mutating func replace(_ earlier: QueuedWrite, by write: QueuedWrite, sizeLimit: Int) -> Bool {
        guard size + write.size - earlier.size <= sizeLimit else { return false }
        size += write.size - earlier.size
        return true
    }
}
