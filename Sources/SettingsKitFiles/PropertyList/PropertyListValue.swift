#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value of a property list, as it is in the file.
///
/// The cases are those of Apple's property list type, with two additions that represent every file without loss:
/// ``unsigned(_:)`` for whole numbers that an `Int64` cannot hold, and dictionaries that keep the order of the file.
///
/// Two values are equal if their case and content are: `.integer(1)` is not `.real(1)`, strings compare by their Unicode scalars,
/// dictionaries compare with their order, and not-a-number equals nothing.
///
/// A value allocates only its string, data or array. Comparing, writing and releasing values uses stack in proportion
/// to their nesting; the readers of this module never create a value nested deeper than ``PropertyListLimits/depth``.
package enum PropertyListValue: Sendable, Equatable {
    case boolean(Bool)
    /// A whole number. All numbers from `Int64.min` to `Int64.max` have this case, never ``unsigned(_:)``.
    case integer(Int64)
    /// A whole number greater than `Int64.max`.
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    /// A point in time, as seconds since 2001-01-01T00:00:00Z, without leap seconds.
    case date(Double)
    case data(Data)
    case array([PropertyListValue])
    /// The members in the order of the file. The readers return every key once.
    case dictionary([PropertyListMember])

    /// Creates a whole number; nil if it is less than `Int64.min` or greater than `UInt64.max`.
    static func wholeNumber(_ number: Int128) -> PropertyListValue? {
        Int64(exactly: number).map { .integer($0) } ?? UInt64(exactly: number).map { .unsigned($0) }
    }

    /// Written by hand, in two parts, because the comparison that the compiler generates takes a kilobyte of stack
    /// for every level of nesting: too much for the deepest values on the small stacks of secondary threads.
    package static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: areEqualScalars(left, right)
        }
    }

    @inline(never)
    private static func areEqualScalars(_ left: PropertyListValue, _ right: PropertyListValue) -> Bool {
        switch (left, right) {
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.real(let left), .real(let right)), (.date(let left), .date(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        default: false
        }
    }
}

extension PropertyListValue {
    /// The value itself if the writer can write it, otherwise its bytes.
    package var writable: PropertyListValue {
        XMLPropertyListWriter.canRepresent(self) ? self : .data(NativeValue.bytes(of: self))
    }

    /// Whether the value's bytes could also be those of another kind: a real number's (those of a number), or a date's or of data
    /// inside a collection (those of a string).
    package var hasKindOfItsOwn: Bool {
        switch self {
        case .date, .real: true
        case .boolean, .integer, .unsigned, .string, .data: false
        case .array(let values): values.contains { $0.isData || $0.hasKindOfItsOwn }
        case .dictionary(let members): members.contains { $0.value.isData || $0.value.hasKindOfItsOwn }
        }
    }

    private var isData: Bool {
        if case .data = self { true } else { false }
    }
}

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
    /// Linear time; members in ascending key order, as most programs write them, need one comparison each and no hashing.
    func keepingLastOfEachKey() -> [PropertyListMember] {
        guard hasRepeatedKey() else { return self }
        var places: [String: Int] = [:]
        var kept: [PropertyListMember] = []
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
        let isAscending = zip(self, dropFirst()).allSatisfy { $0.key < $1.key }
        return !isAscending && Set(map(\.key)).count < count
    }
}
