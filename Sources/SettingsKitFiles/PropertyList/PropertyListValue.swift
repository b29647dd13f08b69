import SettingsKitPlatform

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
/// Two values are equal if their case and content are: `.integer(1)` is not `.real(1)`, strings compare by canonical
/// equivalence as Swift strings do, dictionaries compare with their order, and not-a-number equals nothing.
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

    /// Creates a whole number from its magnitude and sign; nil if it is less than `Int64.min`.
    static func wholeNumber(magnitude: UInt64, isNegative: Bool) -> PropertyListValue? {
        if !isNegative {
            return Int64(checked: magnitude).map { .integer($0) } ?? .unsigned(magnitude)
        }
        guard magnitude <= Int64.min.magnitude else { return nil }
        return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
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
