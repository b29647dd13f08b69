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

    /// - Throws: The reason, with its place, if a line is no variable.
    package static func read(_ data: Data) throws(SettingsFileProblem) -> FileValue {
        var reader = try VariableFile(FileBytes(data))
        var members: [FileValue.Member] = []
        while let member = try reader.readVariable() { members.append(member) }
        return FileValue(entries: members)
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

    private mutating func skipSpace() { while next.map(Self.isSpace) ?? false { position += 1 } }

    private var isAtLineEnd: Bool { next == nil || next == 0x0A || next == 0x0D }

    private mutating func skipLine() { while !isAtLineEnd { position += 1 } }

    /// Returns the next variable; nil at the end of the file.
    private mutating func readVariable() throws(SettingsFileProblem) -> FileValue.Member? {
        while true {
            skipSpace()
            if next == UInt8(ascii: "#") { skipLine() }
            if !isAtLineEnd { break }
            guard next != nil else { return nil }
            position += 1
        }
        let start = position
        var name = try readName()
        if name == "export", skip(" ") || skip("\t") {
            skipSpace()
            name = try readName()
        }
        skipSpace()
        guard skip("=") else { throw problem("An equals sign is missing") }
        skipSpace()
        let place = FileValue.Place(offset: start, file: file)
        let value = try readValue()
        return (name, FileValue(.known(Data(value)), form: .text, at: place))
    }

    private mutating func readName() throws(SettingsFileProblem) -> String {
        let start = position
        while let next, Self.isNamePart(next) { position += 1 }
        if position == start { throw problem("A name is missing") }
        return String(decoding: file.bytes[start..<position], as: UTF8.self)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: ":"):
            true
        default: byte >= 0x80
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    // MARK: Values

    private mutating func readValue() throws(SettingsFileProblem) -> [UInt8] {
        let start = position
        let value: [UInt8]
        if skip("'") {
            value = try readQuoted(UInt8(ascii: "'"), from: start)
        } else if skip("\"") {
            value = try readQuoted(UInt8(ascii: "\""), from: start)
        } else {
            return try readPlain()
        }
        let end = position
        skipSpace()
        if next == UInt8(ascii: "#"), position > end { skipLine() }
        guard isAtLineEnd else { throw problem("There is text after the quotation mark at the end of the value") }
        return value
    }

    private mutating func readQuoted(_ mark: UInt8, from start: Int) throws(SettingsFileProblem) -> [UInt8] {
        var value: [UInt8] = []
        while let byte = next {
            position += 1
            if byte == mark { return value }
            if byte == 0x0D, next == 0x0A { continue }
            if byte == 0 { throw problem("The value has a NUL", at: position - 1) }
            guard byte == UInt8(ascii: "\\"), mark == UInt8(ascii: "\""), let escaped = next.flatMap(Self.unescaped)
            else {
                value.append(byte)
                continue
            }
            position += 1
            value.append(escaped)
        }
        throw problem("The quotation mark at the end of the value is missing", at: start)
    }

    /// Returns the character of an escape; nil if there is none, so that the backslash is part of the value.
    private static func unescaped(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): byte
        default: nil
        }
    }

    private mutating func readPlain() throws(SettingsFileProblem) -> [UInt8] {
        let start = position
        var end = position
        while !isAtLineEnd, let byte = next {
            if byte == 0 { throw problem("The value has a NUL") }
            if byte == UInt8(ascii: "#"), Self.isSpace(file.bytes[position - 1]) {
                skipLine()
                break
            }
            position += 1
            if !Self.isSpace(byte) { end = position }
        }
        return Array(file.bytes[start..<end])
    }
}
