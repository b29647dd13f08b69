#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes property lists in the XML format, with the layout of Apple's writer.
package enum XMLPropertyListWriter {
    /// Returns the file whose outermost dictionary has `members`, in their order; nested dictionaries keep theirs.
    ///
    /// Each key should occur once in a dictionary. If a key is repeated, all of its members are written, and the
    /// readers use the last. Keys are escaped as ``PropertyListKey`` describes. Dates are written as whole seconds;
    /// dates outside the years 1 to 9999, which have no common form, as a `real` of the same seconds. Reals are written
    /// with the fewest digits that read as the same number.
    ///
    /// - Throws: `notRepresentable` if a string has a character that XML excludes; `tooDeep` if `members` are nested deeper than
    ///   the readers accept.
    /// - Complexity: Linear in the size of the file.
    package static func write(_ members: [PropertyListMember]) throws(PropertyListError) -> Data {
        var output = XMLPropertyListOutput()
        output.bytes.reserveCapacity(512 + members.count * 80)
        output.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">

            """)
        output.append("<plist version=\"1.0\">\n")
        try output.append(.dictionary(members), depth: 0)
        output.append("</plist>\n")
        return Data(output.bytes)
    }

    /// Returns the XML of a value that ``canRepresent(_:)`` accepts. Linear time.
    static func text(of value: PropertyListValue) -> String {
        var output = XMLPropertyListOutput()
        do throws(PropertyListError) {
            try output.append(value, depth: 0)
        } catch {
            preconditionFailure("The value can be represented.")
        }
        return String(decoding: output.bytes.dropLast(), as: UTF8.self)
    }

    /// Whether ``write(_:)`` accepts `value` as the value of a member of the outermost dictionary, and the
    /// reader then returns the same value, except for the fraction of a second of dates, and for dates outside the
    /// years 1 to 9999. Linear time.
    package static func canRepresent(_ value: PropertyListValue) -> Bool {
        canRepresent(value, depth: 1)
    }

    /// `depth` is the number of arrays and dictionaries around `value`.
    private static func canRepresent(_ value: PropertyListValue, depth: Int) -> Bool {
        switch value {
        case .boolean, .integer, .unsigned, .real, .date, .data: true
        case .string(let string): XMLCharacters.canHold(string)
        case .array(let values):
            depth < PropertyListLimits.depth && values.allSatisfy { canRepresent($0, depth: depth + 1) }
        case .dictionary(let members):
            depth < PropertyListLimits.depth && members.allSatisfy { canRepresent($0.value, depth: depth + 1) }
        }
    }
}
