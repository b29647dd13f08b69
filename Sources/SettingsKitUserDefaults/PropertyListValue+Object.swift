import Foundation
import SettingsKitFiles

extension PropertyListValue {
    /// Creates the value of one of Foundation's property-list objects: a string, number, date, data, array or
    /// dictionary.
    ///
    /// - Returns: nil for other objects.
    package init?(object: Any) {
        // Dates, data and strings first: on Apple platforms a number bridges to several types.
        switch object {
        case let string as String: self = .string(string)
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let data as Data: self = .data(data)
        case let number as NSNumber: self.init(number)
        case let array as [Any?]:
            var values: [PropertyListValue] = []
            for element in array {
                guard let element, let value = PropertyListValue(object: element) else { return nil }
                values.append(value)
            }
            self = .array(values)
        case let dictionary as [String: Any?]:
            var members: [PropertyListMember] = []
            for (key, element) in dictionary.sorted(by: { $0.key < $1.key }) {
                guard let element, let value = PropertyListValue(object: element) else { return nil }
                members.append(PropertyListMember(key: key, value: value))
            }
            self = .dictionary(members)
        default: return nil
        }
    }

    private init(_ number: NSNumber) {
        // NSNumber's code of its type: c (or B) for Booleans, q and Q for 64-bit integers.
        switch String(cString: number.objCType) {
        case "c" where Self.isBoolean(number), "B": self = .boolean(number.boolValue)
        case "f", "d": self = .real(number.doubleValue)
        case "Q" where number.uint64Value > UInt64(Int64.max): self = .unsigned(number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }

    private static func isBoolean(_ number: NSNumber) -> Bool {
        #if canImport(Darwin)
            CFGetTypeID(number) == CFBooleanGetTypeID()
        #else
            // An 8-bit integer has the same type code, but a property list has none.
            true
        #endif
    }

    /// Whether the value contains a minus zero, which Foundation on Linux writes as zero.
    var containsMinusZero: Bool {
        switch self {
        case .real(let number): number == 0 && number.sign == .minus
        case .array(let values): values.contains(where: \.containsMinusZero)
        case .dictionary(let members): members.contains { $0.value.containsMinusZero }
        case .boolean, .integer, .unsigned, .string, .date, .data: false
        }
    }

    /// The object to store in `UserDefaults`.
    package var object: Any {
        switch self {
        case .boolean(let value): value
        // A 64-bit number, also where `Int` has 32 bits.
        case .integer(let value): Int(exactly: value) as Any? ?? NSNumber(value: value)
        case .unsigned(let value): UInt(exactly: value) as Any? ?? NSNumber(value: value)
        case .real(let value): value
        case .string(let value): value
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let value): value
        case .array(let values): values.map(\.object)
        case .dictionary(let members):
            Dictionary(members.map { ($0.key, $0.value.object) }, uniquingKeysWith: { $1 })
        }
    }
}
