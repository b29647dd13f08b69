import Foundation

/// The beginnings and ends of two processes' operations, in order, and the values that these permit.
struct History: Hashable, Sendable {
    private struct Event: Hashable, Sendable {
        let process: Int
        let operation: Operation
        let isEnd: Bool
    }

    private struct Write {
        let value: String
        let begin: Int
        var end = Int.max
    }

    private var events: [Event] = []

    var count: Int { events.count }

    mutating func begin(_ operation: Operation, of process: Int) {
        events.append(Event(process: process, operation: operation, isEnd: false))
    }

    mutating func succeed(_ operation: Operation, of process: Int) {
        events.append(Event(process: process, operation: operation, isEnd: true))
    }

    /// Returns what is wrong with values that a process finds after the first events. Nil if they are possible.
    ///
    /// A value is possible if it was written and no write that must be kept follows that writing, in the order in which the calls
    /// began and returned. The value from before the programs is possible if no write must be kept.
    ///
    /// - Parameters:
    ///   - start: The values from before the programs.
    ///   - isPowerFailure: Whether only the writes must be kept that had returned when a successful flush began. Otherwise, every
    ///     write that had returned.
    func problem(with found: Values, from start: Values, after count: Int, isPowerFailure: Bool) -> String? {
        var writes: [String: [Write]] = [:]
        var flushes: [Int: Int] = [:]
        var lastFlushed = isPowerFailure ? -1 : count
        for (moment, event) in events.prefix(count).enumerated() {
            switch (event.operation, event.isEnd) {
            case (.set(let name, let value), false):
                writes[name, default: []].append(Write(value: value, begin: moment))
            case (.set(let name, let value), true):
                let index = writes[name]?.lastIndex { $0.value == value }
                if let index { writes[name]?[index].end = moment }
            case (.synchronize, false), (.bringUpToDate, false): flushes[event.process] = moment
            case (.synchronize, true), (.bringUpToDate, true):
                lastFlushed = max(lastFlushed, flushes[event.process] ?? -1)
            case (.open, _): break
            }
        }
        for name in Set(start.keys).union(writes.keys).union(found.keys).sorted() {
            let all = writes[name] ?? []
            let kept = all.filter { $0.end < lastFlushed }
            let text = found[name].map { String(decoding: $0, as: UTF8.self) }
            let isPossible =
                if let write = all.last(where: { $0.value == text }) {
                    !kept.contains { write.end < $0.begin }
                } else {
                    kept.isEmpty && found[name] == start[name]
                }
            if !isPossible {
                return "\(name) is \(text ?? "missing"), kept must be \(kept.map(\.value)), written \(all.map(\.value))"
            }
        }
        return nil
    }
}
