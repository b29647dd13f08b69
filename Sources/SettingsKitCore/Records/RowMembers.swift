/// The fields of a row, by name, in the order in which they were added.
///
/// Two rows of one record have their fields in the same order, so a field of the one is usually found at its place in the other. With
/// few fields, comparing names in turn takes less time than hashing.
struct RowMembers {
    private(set) var all: [(name: String, member: any RowMember)] = []
    /// The places of the fields. Empty while there are few.
    private var places: [String: Int] = [:]

    var count: Int { all.count }

    var names: [String] { all.map(\.name) }

    mutating func reserveCapacity(_ count: Int) { all.reserveCapacity(count) }

    /// The field with a name. Setting replaces it at its place, nil removes it.
    subscript(name: String) -> (any RowMember)? {
        get { place(of: name).map { all[$0].member } }
        set {
            switch (place(of: name), newValue) {
            case (let place?, let member?): all[place].member = member
            case (nil, let member?): append(name, member)
            case (let place?, nil): remove(at: place)
            case (nil, nil): break
            }
        }
    }

    /// Returns the field with a name, which is expected at a place.
    func member(named name: String, near place: Int) -> (any RowMember)? {
        if place < all.count, all[place].name == name { return all[place].member }
        return self[name]
    }

    private func place(of name: String) -> Int? {
        places.isEmpty ? all.firstIndex { $0.name == name } : places[name]
    }

    private mutating func append(_ name: String, _ member: any RowMember) {
        all.append((name, member))
        if !places.isEmpty {
            places[name] = all.count - 1
        } else if all.count > CoreLimits.comparedNames {
            findPlaces()
        }
    }

    private mutating func remove(at place: Int) {
        all.remove(at: place)
        if !places.isEmpty { findPlaces() }
    }

    private mutating func findPlaces() {
        places = [:]
        for (place, field) in all.enumerated() { places[field.name] = place }
    }
}
