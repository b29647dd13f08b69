#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values after `IN`.
struct ValueList {
    let fragment: Fragment

    init(_ values: some Sequence<some SQLiteConvertible>) {
        var fragment = Fragment()
        let values = Array(values)
        if values.count > SQLiteLimits.boundValues {
            let (json, others) = Self.divided(values)
            fragment.append("(SELECT value FROM json_each(")
            fragment.append(value: json)
            fragment.append(")")
            for (position, value) in others.enumerated() {
                fragment.append(position == 0 ? " UNION ALL VALUES " : ", ")
                fragment.append(list: [value])
            }
            fragment.append(")")
        } else {
            fragment.append(list: values)
        }
        self.fragment = fragment
    }

    /// An array of the integers and texts that JSON can represent, and the other values.
    private static func divided<Value: SQLiteConvertible>(_ values: [Value]) -> (json: String, others: [Value]) {
        var integers: [String] = []
        var texts: [String] = []
        var others: [Value] = []
        for value in values {
            switch try? value.sqliteValue {
            case .integer(let number): integers.append("\(number)")
            case .text(let text) where !text.utf8.contains(0): texts.append(text)
            default: others.append(value)
            }
        }
        let integerList = integers.joined(separator: ",")
        if texts.isEmpty { return ("[\(integerList)]", others) }
        guard let json = try? JSONEncoder().encode(texts) else { return ("[]", values) }
        let list = String(decoding: json, as: UTF8.self)
        return (integers.isEmpty ? list : "[\(integerList),\(list.dropFirst())", others)
    }
}
