#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bridge between stored bytes, which are mostly JSON text, and the native values of a property list.
///
/// Bytes that are exactly the JSON text of a native value are kept as that value, so that the file can be read and
/// edited by people and by other programs. All other bytes are kept as `data`. Nothing is ever changed on the way:
/// for all bytes, `bytes(of: value(for: bytes))` gives the same bytes, and so it does when the value was written to
/// XML and read back in between.
package enum NativeValue {
    /// The bytes that stand for a native value.
    ///
    /// For `data` these are the bytes of the data itself. For everything else they are compact JSON, written as
    /// Foundation's `JSONEncoder` does with `withoutEscapingSlashes`: reals with the fewest digits, a date as its
    /// seconds since 2001, and data inside arrays and dictionaries in base 64. Dictionaries keep their order. A real
    /// that is not finite becomes `nan`, `inf` or `-inf`, which no JSON decoder accepts, so that it is reported there.
    ///
    /// Linear time; stack in proportion to the nesting of `value`.
    package static func bytes(of value: PropertyListValue) -> Data {
        if case .data(let data) = value { return data }
        return Data(JSONText.bytes(of: value))
    }

    /// The native value that stands for `bytes`: the one whose JSON text they are to the byte, if there is one and a
    /// property list can hold it, else `.data(bytes)`.
    ///
    /// Kept as data are, among others: text with white space between its parts, with `null`, with escapes that
    /// `JSONEncoder` would not write, or with a key twice in an object; strings with characters that XML cannot hold;
    /// numbers with more digits than their value needs; and whatever is nested too deeply.
    ///
    /// JSON has fewer kinds of value than property lists. Where `bytes` are about to replace a native value, that
    /// value can be given as `old`, and its kind is kept wherever the new bytes allow both: a number in the place of a
    /// `date` stays a date if it is a whole second of the years 1 to 9999; a number in the place of a `real` stays a
    /// real; and a string in the place of a `data` inside an array or dictionary stays data if it is canonical base
    /// 64. The places are compared by key and by index, at every level.
    ///
    /// Linear time in the sizes of `bytes` and `old`.
    package static func value(for bytes: Data, resembling old: PropertyListValue? = nil) -> PropertyListValue {
        guard let first = bytes.first, JSONText.canBegin(with: first) else { return .data(bytes) }
        var parser = JSONTextParser(bytes)
        guard let value = parser.parseText(resembling: old), XMLPropertyListWriter.canRepresent(value),
            JSONText.bytes(of: value) == parser.bytes
        else { return .data(bytes) }
        return value
    }
}
