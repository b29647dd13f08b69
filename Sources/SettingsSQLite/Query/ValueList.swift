#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values after `IN`.
struct ValueList {
    /// SQLite allows 999 parameters, or 32,766 since 3.32: longer lists are bound as one.
    static let parameterLimit = 500

    let fragment: Fragment

    init(_ values: some Sequence<some SQLiteConvertible>) {
        var fragment = Fragment()
        let values = Array(values)
        if values.count > Self.parameterLimit, let json = Self.json(values) {
            fragment.append("(SELECT value FROM json_each(")
            fragment.append(value: json)
            fragment.append("))")
        } else {
            fragment.append(list: values)
        }
        self.fragment = fragment
    }

    /// An array of integers, or one of texts that JSON can hold; nil of anything else.
    private static func json(_ values: [some SQLiteConvertible]) -> String? {
        var integers: [Int64] = []
        var texts: [String] = []
        for value in values {
            switch try? value.sqliteValue {
            case .integer(let number): integers.append(number)
            case .text(let text) where !text.utf8.contains(0): texts.append(text)
            default: return nil
            }
        }
        if integers.count == values.count { return "[" + integers.map(String.init).joined(separator: ",") + "]" }
        guard texts.count == values.count, let json = try? JSONEncoder().encode(texts) else { return nil }
        return String(decoding: json, as: UTF8.self)
    }
}
