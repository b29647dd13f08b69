/// The members of a damaged dictionary found so far, and which of them can be trusted.
///
/// A member before the first damage is trusted at once. Members after damage may belong to an inner dictionary, or to a
/// comment, whose beginning was lost. They are trusted when the outermost dictionary has ended in its place.
struct RecoveredMembers {
    private struct Member {
        var key: String
        /// Whether the key's tag is the first on its line, with the indentation of the outermost dictionary.
        var isAnchored: Bool
        /// nil if the value is damaged, or may be.
        var value: PropertyListValue?
    }

    private var members: [Member] = []
    /// The number of trusted members; nil before the first damage, when all are.
    private var certainCount: Int?

    /// Begins a member whose value is read next.
    mutating func begin(_ key: String, isAnchored: Bool) {
        members.append(Member(key: key, isAnchored: isAnchored, value: nil))
    }

    /// Adds the value of the current member.
    mutating func finish(_ value: PropertyListValue) {
        members[members.count - 1].value = value
    }

    /// Discards the value of the last member, which may be incomplete.
    mutating func dropLastValue() {
        guard !members.isEmpty else { return }
        members[members.count - 1].value = nil
    }

    /// Records damage: the structure of the following text is unknown.
    mutating func recordDamage() {
        certainCount = certainCount ?? members.count
    }

    /// Records the end of a dictionary, an array or a comment without a beginning: its beginning was lost, and the members found
    /// since then belong to it.
    ///
    /// Without earlier damage, it can only have begun in the value of a member whose key begins a line.
    mutating func recordStrayEnd() {
        if let certainCount {
            members.removeSubrange(certainCount...)
        } else {
            while let member = members.popLast(), !member.isAnchored {}
            certainCount = members.count
        }
    }

    /// Records whether the outermost dictionary has ended in its place.
    mutating func recordEnd(isInPlace: Bool) {
        if let certainCount, !isInPlace { members.removeSubrange(certainCount...) }
    }

    /// Returns the members whose values are intact, in the order of the file and each key once. Of a repeated key the
    /// last one counts, as in an intact file; if its value is damaged, there is none.
    var intact: [PropertyListMember] {
        var places: [Spelling: Int] = [:]
        var kept: [Member] = []
        for member in members {
            if let place = places[Spelling(member.key)] {
                kept[place] = member
            } else {
                places[Spelling(member.key)] = kept.count
                kept.append(member)
            }
        }
        return kept.compactMap { member in member.value.map { PropertyListMember(key: member.key, value: $0) } }
    }
}
