#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes compact JSON of native values, byte for byte as Foundation's `JSONEncoder` does without escaping slashes.
enum JSONText {
    /// Returns the text of `value`, with data in base 64.
    static func bytes(of value: PropertyListValue) -> [UInt8] {
        var output: [UInt8] = []
        append(value, to: &output)
        return output
    }

    /// Whether the text of a native value can begin with `byte`. This excludes most other data at once.
    static func canBegin(with byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "-"): true
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "i"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    private static func append(_ value: PropertyListValue, to output: inout [UInt8]) {
        switch value {
        case .boolean(let isTrue): output.append(isTrue ? "true" : "false")
        case .integer(let number): output.append(contentsOf: String(number).utf8)
        case .unsigned(let number): output.append(contentsOf: String(number).utf8)
        case .date(let seconds):
            if let text = Date(timeIntervalSinceReferenceDate: seconds).iso8601 {
                append(text, to: &output)
            } else {
                output.append(contentsOf: NumberText.json(seconds).utf8)
            }
        case .real(let number): output.append(contentsOf: NumberText.json(number).utf8)
        case .string(let string): append(string, to: &output)
        case .data(let data): append(data.base64EncodedString(), to: &output)
        case .array(let values):
            appendList(values, "[", "]", to: &output) { append($0, to: &$1) }
        case .dictionary(let members):
            appendList(members, "{", "}", to: &output) { member, output in
                append(member.key, to: &output)
                output.append(":")
                append(member.value, to: &output)
            }
        }
    }

    private static func appendList<Element>(
        _ elements: [Element], _ start: StaticString, _ end: StaticString, to output: inout [UInt8],
        _ append: (Element, inout [UInt8]) -> Void
    ) {
        output.append(start)
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(",") }
            append(element, &output)
        }
        output.append(end)
    }

    /// Appends `string` in quotation marks. Escapes the quotation mark, the backslash and the characters before the
    /// space, the latter by a letter if JSON has one.
    static func append(_ string: String, to output: inout [UInt8]) {
        var string = string
        output.append(UInt8(ascii: "\""))
        string.withUTF8 { buffer in
            var runStart = 0
            for index in buffer.indices {
                let byte = buffer[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                output.append(contentsOf: buffer[runStart..<index])
                appendEscape(of: byte, to: &output)
                runStart = index + 1
            }
            output.append(contentsOf: buffer[runStart...])
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(of byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0..<0x20:
            output.append(byte < 0x10 ? "u000" : "u001")
            output.append(byte & 0xF < 10 ? UInt8(ascii: "0") + byte & 0xF : UInt8(ascii: "a") + byte & 0xF - 10)
        default: output.append(byte)
        }
    }
}
