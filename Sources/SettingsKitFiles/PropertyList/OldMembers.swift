/// Finds the members of a dictionary that is about to be replaced, by key, while the new ones are read.
///
/// While the keys come in the order of the old dictionary, the next one is where it is expected. The first that is not
/// causes an index of all members to be built. Linear time in total.
struct OldMembers {
    private let members: [PropertyListMember]
    private var expected = 0
    private var places: [String: Int]?

    /// The members of `value`; none if it is not a dictionary.
    init(_ value: PropertyListValue?) {
        if case .dictionary(let members) = value {
            self.members = members
        } else {
            members = []
        }
    }

    mutating func value(for key: String) -> PropertyListValue? {
        guard !members.isEmpty else { return nil }
        if expected < members.count, members[expected].key == key {
            expected += 1
            return members[expected - 1].value
        }
        let places = self.places ?? Self.index(members)
        self.places = places
        guard let place = places[key] else { return nil }
        expected = place + 1
        return members[place].value
    }

    private static func index(_ members: [PropertyListMember]) -> [String: Int] {
        var places: [String: Int] = [:]
        places.reserveCapacity(members.count)
        for (place, member) in members.enumerated() { places[member.key] = place }
        return places
    }
}
