/// The members of a damaged dictionary that have been found so far, and which of them can be believed.
///
/// A member before the first damage is believed at once. What follows a damage may stand in an inner dictionary, or in a
/// comment, whose beginning was lost: it is believed when the outermost dictionary has ended in its place.
struct RecoveredMembers {
    struct Member {
        var key: String
        /// Where the tag of the key begins.
        var offset: Int
        /// Whether that tag is the first on its line, with the indentation of the outermost dictionary.
        var isAnchored: Bool
        /// `nil` if the value is damaged, or may be.
        var value: PropertyListValue?
    }

    private(set) var members: [Member] = []
    /// How many of them are believed; `nil` before the first damage, when all are.
    private(set) var certainCount: Int?

    /// Notes a member whose value is still to be read.
    mutating func begin(_ key: String, at offset: Int, isAnchored: Bool) {
        members.append(Member(key: key, offset: offset, isAnchored: isAnchored, value: nil))
    }

    /// Adds the value of the member that was begun last.
    mutating func finish(_ value: PropertyListValue) {
        members[members.count - 1].value = value
    }

    /// Gives up the value of the last member, which may be a part of what was written.
    mutating func dropLastValue() {
        guard !members.isEmpty else { return }
        members[members.count - 1].value = nil
    }

    /// Notes that the structure of what follows is not known.
    mutating func noteDamage() {
        certainCount = certainCount ?? members.count
    }

    /// Notes an end, of a dictionary, an array or a comment, that has no beginning: its beginning was lost, and members
    /// found since belong to it.
    ///
    /// Without a damage before it, it can only have begun in the value of a member whose key begins a line.
    mutating func noteStrayEnd() {
        if let certainCount {
            members.removeSubrange(certainCount...)
        } else {
            while let member = members.popLast(), !member.isAnchored {}
            certainCount = members.count
        }
    }

    /// Notes whether the outermost dictionary has ended in its place.
    mutating func noteEnd(isInPlace: Bool) {
        if let certainCount, !isInPlace { members.removeSubrange(certainCount...) }
    }

    /// The members whose values are intact, in the order of the file and each key once. Of a repeated key the last one
    /// counts, as in an intact file; if its value is damaged, there is none.
    var intact: [PropertyListMember] {
        var places: [String: Int] = [:]
        var kept: [Member] = []
        for member in members {
            if let place = places[member.key] {
                kept[place] = member
            } else {
                places[member.key] = kept.count
                kept.append(member)
            }
        }
        return kept.compactMap { member in member.value.map { PropertyListMember(key: member.key, value: $0) } }
    }
}
