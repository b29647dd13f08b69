import SettingsCommandLine
import SettingsKit

/// Reads the lines of an environment file, in linear time.
struct EnvironmentReader {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    /// - Throws: a problem if the file is not text in UTF-8, or contains NUL.
    init(_ file: Data) throws(TransferProblem) {
        bytes = Array(file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file)
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
            throw TransferProblem(message: "The file is not text in UTF-8.")
        }
    }

    /// The next variable with the comment before it; nil at the end.
    mutating func next() throws(TransferProblem) -> EnvironmentTransfer.Entry? {
        var comment: (name: String, kind: EnvironmentTransfer.Kind?)?
        while position < bytes.count {
            skipSpace()
            if isAtLineEnd {
                skipLineEnd()
                comment = nil
            } else if bytes[position] == UInt8(ascii: "#") {
                let start = position
                skipToLineEnd()
                comment = Self.comment(bytes[start..<position])
                skipLineEnd()
            } else {
                var entry = try readVariable()
                (entry.name, entry.kind) = (comment?.name, comment?.kind)
                return entry
            }
        }
        return nil
    }

    /// The name and the kind in a comment `# setting "NAME" as KIND`; nil for any other comment.
    private static func comment(_ text: ArraySlice<UInt8>) -> (name: String, kind: EnvironmentTransfer.Kind?)? {
        let beginning = "# setting "
        guard text.starts(with: beginning.utf8) else { return nil }
        return JSONScanner.scan(Data(text.dropFirst(beginning.utf8.count))) { scanner in
            guard let name = scanner.readString() else { return nil }
            let rest = scanner.bytes[scanner.position...]
            if rest.allSatisfy(isSpace) { return (name, nil) }
            let words = String(decoding: rest, as: UTF8.self).split(separator: " ")
            guard words.count == 2, words[0] == "as", let kind = EnvironmentTransfer.Kind(rawValue: String(words[1]))
            else { return nil }
            return (name, kind)
        }
    }

    private mutating func readVariable() throws(TransferProblem) -> EnvironmentTransfer.Entry {
        let start = line
        var variable = readName()
        // Files for shells say `export NAME=value`.
        if variable == "export", position < bytes.count, Self.isSpace(bytes[position]) {
            skipSpace()
            variable = readName()
        }
        guard let first = variable.unicodeScalars.first, !("0"..."9").contains(first), position < bytes.count,
            bytes[position] == UInt8(ascii: "=")
        else { throw TransferProblem(message: "Expected NAME=value.", line: line) }
        position += 1
        var isQuoted = false
        let text: String
        if position < bytes.count, [UInt8(ascii: "'"), UInt8(ascii: "\"")].contains(bytes[position]) {
            isQuoted = true
            text = try readQuoted(bytes[position], of: variable)
            skipSpace()
            if !isAtLineEnd && bytes[position] != UInt8(ascii: "#") {
                throw TransferProblem(message: "Unexpected text after the quoted value of \(variable).", line: line)
            }
            skipToLineEnd()
        } else {
            text = readUnquoted()
        }
        skipLineEnd()
        return EnvironmentTransfer.Entry(variable: variable, text: text, isQuoted: isQuoted, line: start)
    }

    private mutating func readName() -> String {
        let start = position
        while position < bytes.count, EnvironmentTransfer.isVariableCharacter(Unicode.Scalar(bytes[position])) {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func readUnquoted() -> String {
        let start = position
        var end = start
        while !isAtLineEnd {
            let isAfterSpace = position == start || Self.isSpace(bytes[position - 1])
            if bytes[position] == UInt8(ascii: "#") && isAfterSpace { break }
            position += 1
            if !Self.isSpace(bytes[position - 1]) { end = position }
        }
        skipToLineEnd()
        let text = bytes[start..<end].drop(while: Self.isSpace)
        return String(decoding: text, as: UTF8.self)
    }

    /// - Parameter mark: The quotation mark at the position.
    private mutating func readQuoted(_ mark: UInt8, of variable: String) throws(TransferProblem) -> String {
        let start = line
        var text: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == mark { return String(decoding: text, as: UTF8.self) }
            if byte == 0x0A { line += 1 }
            if byte == UInt8(ascii: "\\"), mark == UInt8(ascii: "\""), position < bytes.count,
                let escaped = Self.escaped(bytes[position])
            {
                text.append(escaped)
                position += 1
            } else {
                text.append(byte)
            }
        }
        throw TransferProblem(message: "The quotation mark of \(variable) is not closed.", line: start)
    }

    private static func escaped(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"), UInt8(ascii: "`"): letter
        default: nil
        }
    }

    // MARK: Lines

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether a line break is at the position, or the end of the file. A carriage return before a line feed belongs to it.
    private var isAtLineEnd: Bool {
        guard position < bytes.count else { return true }
        if bytes[position] == 0x0A { return true }
        return bytes[position] == 0x0D && (position + 1 == bytes.count || bytes[position + 1] == 0x0A)
    }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    private mutating func skipToLineEnd() {
        while !isAtLineEnd { position += 1 }
    }

    private mutating func skipLineEnd() {
        while position < bytes.count, isAtLineEnd {
            position += 1
            if bytes[position - 1] == 0x0A {
                line += 1
                return
            }
        }
    }
}
