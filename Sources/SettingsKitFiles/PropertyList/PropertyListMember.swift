/// A key of a property list's dictionary with its value.
package struct PropertyListMember: Sendable, Equatable {
    /// The key, without the escape of ``PropertyListKey``.
    package var key: String
    package var value: PropertyListValue

    package init(key: String, value: PropertyListValue) {
        self.key = key
        self.value = value
    }
}

extension [PropertyListMember] {
    /// Returns these members with every key only once: the last value of a repeated key, at the place of the first.
    ///
    /// Keys are the same if they are equal as Swift strings (canonically equivalent). Linear time; members in ascending
    /// key order, as most programs write them, need one comparison each and no hashing.
    func keepingLastOfEachKey() -> [PropertyListMember] {
        guard hasRepeatedKey() else { return self }
        var places: [String: Int] = [:]
        places.reserveCapacity(count)
        var kept: [PropertyListMember] = []
        kept.reserveCapacity(count)
        for member in self {
            if let place = places[member.key] {
                kept[place] = member
            } else {
                places[member.key] = kept.count
                kept.append(member)
            }
        }
        return kept
    }

    /// Whether two members have the same key. Linear time.
    func hasRepeatedKey() -> Bool {
        guard count > 1 else { return false }
        var index = 1
        while index < count, self[index - 1].key < self[index].key { index += 1 }
        guard index < count else { return false }
        var seen = Set<String>(minimumCapacity: count)
        for member in self where !seen.insert(member.key).inserted { return true }
        return false
    }
}
