/// A key of a property list's dictionary with its value.
package struct PropertyListMember: Sendable, Equatable {
    /// The key, without the escape of ``PropertyListKey``.
    package var key: String
    package var value: PropertyListValue

    package init(key: String, value: PropertyListValue) {
        self.key = key
        self.value = value
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.key.isIdentical(to: right.key) && left.value == right.value
    }
}

extension [PropertyListMember] {
    /// Returns these members with every key only once: the last value of a repeated key, at the place of the first.
    ///
    /// Keys are the same if they have the same Unicode scalars. Linear time; members in ascending key order, as most programs
    /// write them, need one comparison each and no hashing.
    func keepingLastOfEachKey() -> [PropertyListMember] {
        guard hasRepeatedKey() else { return self }
        var places: [Spelling: Int] = [:]
        places.reserveCapacity(count)
        var kept: [PropertyListMember] = []
        kept.reserveCapacity(count)
        for member in self {
            if let place = places[Spelling(member.key)] {
                kept[place] = member
            } else {
                places[Spelling(member.key)] = kept.count
                kept.append(member)
            }
        }
        return kept
    }

    /// Whether two members have the same key. Linear time.
    func hasRepeatedKey() -> Bool {
        if isAscending { return false }
        var seen = Set<Spelling>(minimumCapacity: count)
        for member in self where !seen.insert(Spelling(member.key)).inserted { return true }
        return false
    }

    /// Whether each name is greater than the one before it.
    private var isAscending: Bool {
        var index = 1
        while index < count, self[index - 1].key < self[index].key { index += 1 }
        return index >= count
    }
}

extension String {
    /// Whether both have the same Unicode scalars. Strings that look the same may be equal without that.
    func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// A key that equals only identical ones.
struct Spelling: Hashable {
    let key: String

    init(_ key: String) { self.key = key }

    static func == (left: Spelling, right: Spelling) -> Bool { left.key.isIdentical(to: right.key) }

    /// Of the bytes: equal strings that are not identical have the same hash as strings.
    func hash(into hasher: inout Hasher) {
        var key = key
        key.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
