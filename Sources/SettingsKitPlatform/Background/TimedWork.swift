/// Work, and the moment at which it is due.
struct TimedWork {
    let moment: Deadline
    let queue: BackgroundQueue
    let work: BackgroundQueue.Work
}

/// Work in the order of its moments: a binary heap.
struct TimedWorks {
    private var heap: [TimedWork] = []

    var isEmpty: Bool { heap.isEmpty }

    /// The moment at which the first work is due.
    var firstMoment: Deadline? { heap.first?.moment }

    mutating func insert(_ new: TimedWork) {
        heap.append(new)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].moment < heap[parent].moment else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the first work, if it is due.
    mutating func popFirst(by now: Deadline) -> TimedWork? {
        guard let first = heap.first, first.moment <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while case let left = parent * 2 + 1, left < heap.count {
            let right = left + 1
            let least = right < heap.count && heap[right].moment < heap[left].moment ? right : left
            guard heap[least].moment < heap[parent].moment else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return first
    }
}
