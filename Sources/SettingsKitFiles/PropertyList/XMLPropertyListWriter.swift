#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes property lists in the XML format, with the layout of Apple's writer.
package enum XMLPropertyListWriter {
    /// Returns the file whose outermost dictionary has `members`, in their order; nested dictionaries keep theirs.
    ///
    /// Each key should occur once in a dictionary. Keys are escaped as ``PropertyListKey`` describes. Dates are written as whole
    /// seconds; dates outside the years 1 to 9999, which have no common form, as a `real` of the same seconds. Reals are written
    /// with the fewest digits that read as the same number.
    ///
    /// - Throws: `notRepresentable` if ``canRepresent(_:)`` does not accept the value of a member.
    /// - Complexity: Linear in the size of the file.
    package static func write(_ members: [PropertyListMember]) throws(PropertyListError) -> Data {
        guard members.allSatisfy({ canRepresent($0.value) }) else { throw PropertyListError(.notRepresentable) }
        var output = XMLOutput()
        output.bytes.reserveCapacity(512 + members.count * 80)
        output.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">

            """)
        output.append("<plist version=\"1.0\">\n")
        output.append(.dictionary(members), depth: 0)
        output.append("</plist>\n")
        return Data(output.bytes)
    }

    /// Returns the XML of a value that ``canRepresent(_:)`` accepts. Linear time.
    static func text(of value: PropertyListValue) -> String {
        var output = XMLOutput()
        output.append(value, depth: 0)
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

/// The bytes of an XML property list that is being written.
///
/// Every value is appended as whole lines, indented with one tab for each array or dictionary around it.
private struct XMLOutput {
    var bytes: [UInt8] = []

    mutating func append(_ literal: StaticString) { bytes.append(literal) }

    private mutating func indent(_ depth: Int) {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "\t"), count: depth))
    }

    mutating func append(_ value: PropertyListValue, depth: Int) {
        indent(depth)
        switch value {
        case .array(let values): append(values, depth: depth)
        case .dictionary(let members): append(members, depth: depth)
        default: appendScalar(value, depth: depth)
        }
        append("\n")
    }

    private mutating func append(_ values: [PropertyListValue], depth: Int) {
        guard !values.isEmpty else { return append("<array/>") }
        append("<array>\n")
        for value in values { append(value, depth: depth + 1) }
        indent(depth)
        append("</array>")
    }

    private mutating func append(_ members: [PropertyListMember], depth: Int) {
        guard !members.isEmpty else { return append("<dict/>") }
        append("<dict>\n")
        for member in members {
            indent(depth + 1)
            append("<key>", PropertyListKey.encode(member.key), "</key>\n")
            append(member.value, depth: depth + 1)
        }
        indent(depth)
        append("</dict>")
    }

    private mutating func appendScalar(_ value: PropertyListValue, depth: Int) {
        switch value {
        case .boolean(let isTrue): append(isTrue ? "<true/>" : "<false/>")
        case .integer(let number): append("<integer>", String(number), "</integer>")
        case .unsigned(let number): append("<integer>", String(number), "</integer>")
        case .string(let string): append("<string>", string, "</string>")
        case .date(let seconds) where GregorianDate.writableSeconds.contains(seconds):
            append("<date>", GregorianDate.text(seconds), "</date>")
        // Apple's words for infinity.
        case .real(let number) where number.isInfinite:
            append("<real>", number < 0 ? "-infinity" : "+infinity", "</real>")
        case .real(let number), .date(let number): append("<real>", NumberText.shortest(number), "</real>")
        case .data(let data): appendData(data, depth: depth)
        case .array, .dictionary: break
        }
    }

    /// Appends `data` in lines that end by column 76, counting a tab as eight columns, and are indented by eight tabs
    /// at most, as Apple's writer does.
    private mutating func appendData(_ data: Data, depth: Int) {
        append("<data>\n")
        let lineIndentation = min(depth, 8)
        var rest = data.base64EncodedData()[...]
        while !rest.isEmpty {
            indent(lineIndentation)
            let length = (76 - 8 * lineIndentation) / 4 * 4
            bytes.append(contentsOf: rest.prefix(length))
            append("\n")
            rest = rest.dropFirst(length)
        }
        indent(depth)
        append("</data>")
    }

    /// Appends an element. Carriage returns, which a parser would turn into line feeds, are written as references.
    private mutating func append(_ start: StaticString, _ text: String, _ end: StaticString) {
        append(start)
        var text = text
        text.withUTF8 { buffer in
            var runStart = 0
            for index in buffer.indices where buffer[index] < 0x40 {
                let replacement: StaticString
                switch buffer[index] {
                case UInt8(ascii: "&"): replacement = "&amp;"
                case UInt8(ascii: "<"): replacement = "&lt;"
                case UInt8(ascii: ">"): replacement = "&gt;"
                case UInt8(ascii: "\r"): replacement = "&#13;"
                default: continue
                }
                bytes.append(contentsOf: buffer[runStart..<index])
                append(replacement)
                runStart = index + 1
            }
            bytes.append(contentsOf: buffer[runStart...])
        }
        append(end)
    }
}

/// The characters that XML 1.0 excludes (section 2.2 of the recommendation, "Characters").
enum XMLCharacters {
    /// Whether an XML 1.0 document can contain every character of `string`, or a reference to it. Linear time.
    static func canHold(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { buffer in
            for index in buffer.indices {
                let byte = buffer[index]
                if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { return false }
                // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
                if byte == 0xEF, buffer[index + 1] == 0xBF, buffer[index + 2] >= 0xBE { return false }
            }
            return true
        }
    }
}
