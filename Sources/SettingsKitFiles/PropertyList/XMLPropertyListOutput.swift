#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes of an XML property list that is being written.
///
/// Every value is appended as whole lines, indented with one tab for each array or dictionary around it.
struct XMLPropertyListOutput {
    var bytes: [UInt8] = []

    mutating func append(_ literal: StaticString) { bytes.append(literal) }

    private mutating func indent(_ depth: Int) {
        for _ in 0..<depth { bytes.append(UInt8(ascii: "\t")) }
    }

    mutating func append(_ value: PropertyListValue, depth: Int) throws(PropertyListError) {
        indent(depth)
        switch value {
        case .array(let values): try append(values, depth: depth)
        case .dictionary(let members): try append(members, depth: depth)
        default: try appendScalar(value, depth: depth)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ values: [PropertyListValue], depth: Int) throws(PropertyListError) {
        guard depth < PropertyListLimits.depth else { throw PropertyListError(.tooDeep) }
        guard !values.isEmpty else { return append("<array/>") }
        append("<array>\n")
        for value in values { try append(value, depth: depth + 1) }
        indent(depth)
        append("</array>")
    }

    private mutating func append(_ members: [PropertyListMember], depth: Int) throws(PropertyListError) {
        guard depth < PropertyListLimits.depth else { throw PropertyListError(.tooDeep) }
        guard !members.isEmpty else { return append("<dict/>") }
        append("<dict>\n")
        for member in members {
            indent(depth + 1)
            append("<key>")
            try appendText(PropertyListKey.encode(member.key))
            append("</key>\n")
            try append(member.value, depth: depth + 1)
        }
        indent(depth)
        append("</dict>")
    }

    private mutating func appendScalar(_ value: PropertyListValue, depth: Int) throws(PropertyListError) {
        switch value {
        case .boolean(let isTrue):
            append(isTrue ? "<true/>" : "<false/>")
        case .integer(let number):
            append("<integer>")
            NumberText.append(number, to: &bytes)
            append("</integer>")
        case .unsigned(let number):
            append("<integer>")
            NumberText.append(number, to: &bytes)
            append("</integer>")
        case .string(let string):
            append("<string>")
            try appendText(string)
            append("</string>")
        case .date(let seconds) where GregorianDate.writableSeconds.contains(seconds):
            append("<date>")
            GregorianDate.append(seconds, to: &bytes)
            append("</date>")
        case .real(let number), .date(let number):
            append("<real>")
            appendReal(number)
            append("</real>")
        case .data(let data):
            appendData(data, depth: depth)
        case .array, .dictionary:
            break
        }
    }

    /// Appends `number` with the fewest digits, or one of the words of Apple's writer if it is not finite.
    private mutating func appendReal(_ number: Double) {
        if number.isInfinite {
            append(number < 0 ? "-infinity" : "+infinity")
        } else {
            bytes.append(contentsOf: NumberText.shortest(number).utf8)
        }
    }

    /// Appends `data` in lines that end by column 76, counting a tab as eight columns, and are indented by eight tabs
    /// at most, as Apple's writer does.
    private mutating func appendData(_ data: Data, depth: Int) {
        append("<data>\n")
        let lineIndentation = min(depth, 8)
        let bytesInLine = (76 - 8 * lineIndentation) / 4 * 3
        var rest = data[...]
        while !rest.isEmpty {
            indent(lineIndentation)
            Base64Text.append(rest.prefix(bytesInLine), to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
            rest = rest.dropFirst(bytesInLine)
        }
        indent(depth)
        append("</data>")
    }

    /// Appends `string` as the text of an element. Carriage returns, which a parser would turn into line feeds, are
    /// written as references.
    mutating func appendText(_ string: String) throws(PropertyListError) {
        var string = string
        let isComplete = string.withUTF8 { buffer in
            var runStart = 0
            for index in buffer.indices {
                let byte = buffer[index]
                guard byte < 0x40 || byte == 0xEF else { continue }
                let replacement: StaticString
                switch byte {
                case UInt8(ascii: "&"): replacement = "&amp;"
                case UInt8(ascii: "<"): replacement = "&lt;"
                case UInt8(ascii: ">"): replacement = "&gt;"
                case UInt8(ascii: "\r"): replacement = "&#13;"
                default:
                    if XMLCharacters.isForbidden(at: index, in: buffer) { return false }
                    continue
                }
                bytes.append(contentsOf: buffer[runStart..<index])
                append(replacement)
                runStart = index + 1
            }
            bytes.append(contentsOf: buffer[runStart...])
            return true
        }
        guard isComplete else { throw PropertyListError(.notRepresentable) }
    }
}
