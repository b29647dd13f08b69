/// What a channel has to tell, in the order of the commits; one thread at a time takes from it.
struct DeliveryQueue {
    enum Delivery {
        case cell(AnyCell)
        case group(SettingsService.ChangeSet, [GroupListener])
    }

    /// How many deliveries wait before changes for group listeners are merged into one. (Cells have a limit of their own.)
    private static let mergeLimit = 1_024

    /// Those before `head` have been taken. They are nil, so that the queue does not keep what was delivered: it would be
    /// released inside the channel's lock.
    private var deliveries: [Delivery?] = []
    private var head = 0
    private var isBeingDelivered = false

    mutating func append(_ cell: AnyCell) {
        deliveries.append(.cell(cell))
    }

    mutating func append(_ changes: SettingsService.ChangeSet, for listeners: [GroupListener]) {
        // Only for the same listeners, so that none is released here, inside the channel's lock.
        if deliveries.count - head >= Self.mergeLimit,
            case .group(let last, let others)? = deliveries[deliveries.count - 1],
            others.elementsEqual(listeners, by: ===)
        {
            deliveries[deliveries.count - 1] = .group(last.merged(with: changes), others)
        } else {
            deliveries.append(.group(changes, listeners))
        }
    }

    /// Asks to deliver.
    ///
    /// - Returns: whether the caller has to: there is something, and nobody is at it. It then calls ``next()`` until that
    ///   answers nil.
    mutating func begin() -> Bool {
        if isBeingDelivered || head == deliveries.count { return false }
        isBeingDelivered = true
        return true
    }

    /// The next delivery; nil when there is none, and then nobody is delivering any more.
    mutating func next() -> Delivery? {
        if head == deliveries.count || head >= Self.mergeLimit {
            deliveries.removeFirst(head)
            head = 0
        }
        guard head < deliveries.count else {
            isBeingDelivered = false
            return nil
        }
        defer {
            deliveries[head] = nil
            head += 1
        }
        return deliveries[head]
    }
}
