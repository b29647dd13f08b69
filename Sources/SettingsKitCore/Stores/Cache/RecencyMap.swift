#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes under names, in the order of their last use; bounded in number and size.
///
/// A doubly linked list through an array, beside a dictionary: every operation takes constant time for each value that it touches.
struct RecencyMap {
    private struct Node {
        var name: String
        var data: Data
        var newer: Int?
        var older: Int?

        var size: Int { name.utf8.count + data.count }
    }

    private let countLimit: Int
    private let byteLimit: Int
    private var nodes: [Node] = []
    private var free: [Int] = []
    private var positions: [String: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    private var byteCount = 0
    /// The names of stored values that alone exceed the limit of bytes.
    private var oversized: [String] = []

    init(countLimit: Int, byteLimit: Int) {
        self.countLimit = countLimit
        self.byteLimit = byteLimit
    }

    var names: [String] { Array(positions.keys) }

    /// Returns the bytes under a name, without a change of the order.
    func peek(_ name: String) -> Data? {
        positions[name].map { nodes[$0].data }
    }

    /// Returns the bytes under a name, which becomes the newest.
    mutating func use(_ name: String) -> Data? {
        guard let position = positions[name] else { return nil }
        unlink(position)
        linkAsNewest(position)
        return nodes[position].data
    }

    /// Stores bytes under a name, which becomes the newest; nil removes it.
    ///
    /// - Returns: the bytes that were stored before.
    mutating func store(_ data: Data?, under name: String) -> Data? {
        let old = remove(name)
        guard let data else { return old }
        let node = Node(name: name, data: data)
        let position: Int
        if let reused = free.popLast() {
            position = reused
            nodes[position] = node
        } else {
            position = nodes.count
            nodes.append(node)
        }
        positions[name] = position
        byteCount += node.size
        if node.size > byteLimit { oversized.append(name) }
        linkAsNewest(position)
        return old
    }

    /// Removes values that alone are too large, then the oldest ones until both limits hold.
    ///
    /// - Returns: the removed values, in this order.
    mutating func dropExcess() -> [(name: String, data: Data)] {
        var dropped: [(name: String, data: Data)] = []
        for name in oversized where (peek(name)?.count ?? 0) + name.utf8.count > byteLimit {
            if let data = remove(name) { dropped.append((name, data)) }
        }
        oversized = []
        while positions.count > countLimit || byteCount > byteLimit, let oldest {
            let name = nodes[oldest].name
            if let data = remove(name) { dropped.append((name, data)) }
        }
        return dropped
    }

    /// Removes everything.
    ///
    /// - Returns: the removed values.
    mutating func removeAll() -> [(name: String, data: Data)] {
        let removed = positions.map { (name: $0.key, data: nodes[$0.value].data) }
        self = RecencyMap(countLimit: countLimit, byteLimit: byteLimit)
        return removed
    }

    private mutating func remove(_ name: String) -> Data? {
        guard let position = positions.removeValue(forKey: name) else { return nil }
        unlink(position)
        byteCount -= nodes[position].size
        free.append(position)
        defer { nodes[position].data = Data() }
        return nodes[position].data
    }

    private mutating func unlink(_ position: Int) {
        let (newer, older) = (nodes[position].newer, nodes[position].older)
        if let newer { nodes[newer].older = older } else { newest = older }
        if let older { nodes[older].newer = newer } else { oldest = newer }
    }

    private mutating func linkAsNewest(_ position: Int) {
        nodes[position].newer = nil
        nodes[position].older = newest
        if let newest { nodes[newest].newer = position } else { oldest = position }
        newest = position
    }
}
