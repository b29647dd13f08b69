import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts stored bytes, which are mostly JSON, to native values of a property list, and back.
///
/// Bytes that are exactly the JSON text of a native value are stored as that value, so that people and other programs
/// can read and edit the file. All other bytes are stored as `data`. The conversion is exact: for all bytes, `bytes(of:
/// value(for: bytes))` returns the same bytes, also if the value was written to XML and read in between.
package enum NativeValue {
    /// Returns the bytes of a native value.
    ///
    /// For `data` these are the bytes of the data. For all others they are compact JSON as Foundation's `JSONEncoder`
    /// writes it with `withoutEscapingSlashes`: reals with the fewest digits that are exact, a date as text in ISO 8601 or, where that is
    /// impossible, its seconds since 2001, and data inside arrays and dictionaries in base 64. Dictionaries keep their
    /// order. A real that is not finite becomes `nan`, `inf` or `-inf`, which JSON decoders reject, so that it is
    /// reported there.
    ///
    /// Linear time; stack in proportion to the nesting of `value`.
    package static func bytes(of value: PropertyListValue) -> Data {
        if case .data(let data) = value { return data }
        return Data(JSONText.bytes(of: value))
    }

    /// Returns the native value of `bytes`: the one whose JSON text has exactly these bytes, if there is one and a
    /// property list can hold it, otherwise `.data(bytes)`.
    ///
    /// Stored as data are, among others: text with white space between its parts, with `null`, with escapes that
    /// `JSONEncoder` would not write, or with a repeated key in an object; strings with characters that XML cannot
    /// represent; numbers with more digits than their value needs; and text that is nested too deeply.
    ///
    /// JSON has fewer kinds of values than property lists. If `bytes` are about to replace a native value, pass that
    /// value as `old`. Its kind is kept wherever the new bytes allow both: the text in place of a `date` stays a date
    /// if it is a whole second of the years 1 to 9999; a number in place of a `real` stays a real; and a string in
    /// place of a `data` inside an array or dictionary stays data if it is canonical base 64. Places are compared by
    /// key and by index, at every level.
    ///
    /// Linear time in the sizes of `bytes` and `old`.
    ///
    /// - Parameter allowsFractions: Whether a date with a fraction of a second stays a date, which XML cannot represent.
    package static func value(
        for bytes: Data, resembling old: PropertyListValue? = nil, allowsFractions: Bool = false
    ) -> PropertyListValue {
        guard let first = bytes.first, JSONText.canBegin(with: first) else { return .data(bytes) }
        let value = JSONScanner.scan(bytes) { scanner -> PropertyListValue? in
            var parser = JSONTextParser(scanner, allowsFractions: allowsFractions)
            guard let value = parser.parseText(resembling: old), XMLPropertyListWriter.canRepresent(value),
                JSONText.bytes(of: value).elementsEqual(scanner.bytes)
            else { return nil }
            return value
        }
        return value ?? .data(bytes)
    }
}
