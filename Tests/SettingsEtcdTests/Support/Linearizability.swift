/// An operation of a client on one register, with the times of its call and its return.
struct RegisterOperation: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// The value that was read; nil for none.
        case read(Int?)
        case write(Int)
        /// The value that was read, and the one that was written in its place.
        case update(from: Int?, to: Int)
    }

    var kind: Kind
    var call: UInt64
    /// Nil if it is not known whether the operation was carried out: it may be at any time after the call, or never.
    var end: UInt64?
}

/// Checks histories of a register by the algorithm of Wing and Gong, with Lowe's memory of states that were tried.
enum Linearizability {
    private struct Tried: Hashable {
        var done: [UInt64]
        var value: Int?
    }

    /// Whether the operations can be put in one order in which each comes between its call and its return, and each read
    /// returns the last value written before it.
    static func holds(_ history: [RegisterOperation], initial: Int? = nil) -> Bool {
        let operations = history.sorted { $0.call < $1.call }
        let required = operations.filter { $0.end != nil }.count
        var tried: Set<Tried> = []
        // Depth first, without recursion: the operations that were chosen, and the value before each.
        var chosen: [(index: Int, value: Int?)] = []
        var done = [UInt64](repeating: 0, count: operations.count / 64 + 1)
        var (value, doneRequired, next) = (initial, 0, 0)
        func isDone(_ index: Int) -> Bool { done[index / 64] & (1 << UInt64(index % 64)) != 0 }
        while true {
            if doneRequired == required { return true }
            // Only an operation that was called before every other one has returned can be the next.
            var limit = UInt64.max
            for index in operations.indices where !isDone(index) {
                if operations[index].call > limit { break }
                if let end = operations[index].end { limit = min(limit, end) }
            }
            var found = false
            var index = next
            while index < operations.count, operations[index].call <= limit {
                defer { index += 1 }
                guard !isDone(index), let result = operations[index].applied(to: value) else { continue }
                done[index / 64] |= 1 << UInt64(index % 64)
                guard tried.insert(Tried(done: done, value: result)).inserted else {
                    done[index / 64] &= ~(1 << UInt64(index % 64))
                    continue
                }
                chosen.append((index, value))
                value = result
                if operations[index].end != nil { doneRequired += 1 }
                found = true
                break
            }
            if found {
                next = 0
                continue
            }
            guard let last = chosen.popLast() else { return false }
            done[last.index / 64] &= ~(1 << UInt64(last.index % 64))
            if operations[last.index].end != nil { doneRequired -= 1 }
            (value, next) = (last.value, last.index + 1)
        }
    }
}

extension RegisterOperation {
    /// The value after the operation; nil if it cannot happen to this value.
    fileprivate func applied(to value: Int?) -> Int?? {
        switch kind {
        case .read(let read): read == value ? .some(value) : .none
        case .write(let written): .some(written)
        case .update(let from, let to): from == value ? .some(to) : .none
        }
    }
}
