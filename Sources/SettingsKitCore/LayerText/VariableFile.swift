#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a file of variables, usually named `.env`: lines such as `PORT=8080`.
///
/// There is no standard; this reads what shells and the usual libraries agree on. A line may begin with `export`. A value is the rest of
/// the line without the spaces around it, up to a `#` after white space; or text in single quotation marks, which has no escapes; or
/// text in double quotation marks, with the escapes `\n`, `\r`, `\t`, `\"`, `\\` and `\$`. Quoted text may have line breaks, each of
/// which is one line feed. A `$` is not replaced: settings do not depend on other variables. A line that begins with `#` is a comment.
package struct VariableFile {
    private let file: FileBytes
    private var position: Int

    /// Returns the variables, and the offsets at which they begin.
    ///
    /// - Throws: The reason, with its place, if a line is no variable.
    static func read(_ data: Data) throws(SettingsFileProblem) -> (
        variables: [(name: String, text: String, offset: Int)], file: FileBytes
    ) {
        var reader = try VariableFile(FileBytes(data))
        var variables: [(name: String, text: String, offset: Int)] = []
        while let variable = try reader.readVariable() { variables.append(variable) }
        return (variables, reader.file)
    }

    /// Returns the variables. Of several with a name, the last one counts.
    ///
    /// - Throws: The reason, with its place, if a line is no variable.
    package static func variables(in data: Data) throws(SettingsFileProblem) -> [(name: String, text: String)] {
        let variables = try read(data).variables
        let last = Dictionary(variables.map { ($0.name, $0.offset) }) { $1 }
        return variables.filter { last[$0.name] == $0.offset }.map { ($0.name, $0.text) }
    }

    private init(_ file: FileBytes) { (self.file, position) = (file, file.start) }

    private var next: UInt8? { position < file.bytes.count ? file.bytes[position] : nil }

    private func problem(_ reason: String, at offset: Int? = nil) -> SettingsFileProblem {
        SettingsFileProblem(reason, at: file.position(of: offset ?? position))
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Takes the bytes that meet a condition.
    @discardableResult
    private mutating func take(_ condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = file.bytes[position...].prefix(while: condition)
        position = taken.endIndex
        return taken
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    private static func isInLine(_ byte: UInt8) -> Bool { byte != 0x0A && byte != 0x0D }

    /// Returns the next variable; nil at the end of the file.
    private mutating func readVariable() throws(SettingsFileProblem) -> (name: String, text: String, offset: Int)? {
        repeat {
            take { Self.isSpace($0) || !Self.isInLine($0) }
            if next == UInt8(ascii: "#") { take(Self.isInLine) }
        } while next.map { !Self.isInLine($0) } ?? false
        guard next != nil else { return nil }
        let start = position
        var name = try readName()
        if name == "export", next.map(Self.isSpace) ?? false {
            take(Self.isSpace)
            name = try readName()
        }
        take(Self.isSpace)
        guard skip("=") else { throw problem("An equals sign is missing") }
        take(Self.isSpace)
        let value = try readValue()
        if value.contains(0) { throw problem("The value has a NUL", at: start) }
        return (name, String(decoding: value, as: UTF8.self), start)
    }

    private mutating func readName() throws(SettingsFileProblem) -> String {
        let name = take { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: ":"), 0x80...:
                true
            default: false
            }
        }
        if name.isEmpty { throw problem("A name is missing") }
        return String(decoding: name, as: UTF8.self)
    }

    // MARK: Values

    private mutating func readValue() throws(SettingsFileProblem) -> [UInt8] {
        let start = position
        guard let mark = next, mark == UInt8(ascii: "'") || mark == UInt8(ascii: "\"") else { return readPlain() }
        position += 1
        let value = try readQuoted(mark, from: start)
        let end = position
        take(Self.isSpace)
        if next == UInt8(ascii: "#"), position > end { take(Self.isInLine) }
        if let next, Self.isInLine(next) {
            throw problem("There is text after the quotation mark at the end of the value")
        }
        return value
    }

    private mutating func readQuoted(_ mark: UInt8, from start: Int) throws(SettingsFileProblem) -> [UInt8] {
        var value: [UInt8] = []
        while let byte = next {
            position += 1
            if byte == mark { return value }
            if byte == 0x0D, next == 0x0A { continue }
            let isEscape = byte == UInt8(ascii: "\\") && mark == UInt8(ascii: "\"")
            if isEscape, let escaped = next.flatMap({ Self.escapes[$0] }) {
                position += 1
                value.append(escaped)
            } else {
                // A backslash before another character is part of the value.
                value.append(byte)
            }
        }
        throw problem("The quotation mark at the end of the value is missing", at: start)
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "$"): UInt8(ascii: "$"),
    ]

    /// Reads the rest of a line, up to a comment after white space.
    private mutating func readPlain() -> [UInt8] {
        let line = take(Self.isInLine)
        let comment = line.indices.first { line[$0] == UInt8(ascii: "#") && Self.isSpace(file.bytes[$0 - 1]) }
        let value = line[..<(comment ?? line.endIndex)]
        return Array(value[...(value.lastIndex { !Self.isSpace($0) } ?? value.startIndex - 1)])
    }
}
