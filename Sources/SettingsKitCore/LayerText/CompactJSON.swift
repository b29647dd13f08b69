#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes an array of a file on one line: without comments, line breaks, commas too many, and members that do not count because their
/// name is repeated.
struct CompactJSON {
    /// An array or an object whose end has not been written yet.
    private struct Level {
        var isObject: Bool
        /// The names of an object's members, and where each begins in the text.
        var members: [(name: String, start: Int)] = []
    }

    private var scanner: JSONScanner
    private var text: [UInt8] = []
    private var levels: [Level] = []

    /// Returns the text of the array in a range, which the scanner has accepted. Linear time, but for repeated members.
    static func array(in file: FileBytes, _ range: Range<Int>) -> Data {
        file.bytes.withUnsafeBufferPointer { bytes in
            var writer = CompactJSON(scanner: JSONScanner(bytes, range, layout: .file))
            // The name of a member may have no string. Then no type can have the value.
            return writer.write() ? Data(writer.text) : Data(bytes[range])
        }
    }

    private init(scanner: JSONScanner) { self.scanner = scanner }

    /// - Returns: false if the name of a member has no string.
    private mutating func write() -> Bool {
        while true {
            scanner.skipSpace()
            guard let byte = scanner.next else { return true }
            switch byte {
            case UInt8(ascii: "\""):
                if !writeString() { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                move(byte)
                levels.append(Level(isObject: byte == UInt8(ascii: "{")))
                if !beginMember() { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let level = levels.popLast() { removeRepeated(level.members) }
                move(byte)
            case UInt8(ascii: ","):
                _ = scanner.skip(",")
                scanner.skipSpace()
                if isAtEndOfLevel { continue }
                text.append(byte)
                if !beginMember() { return false }
            default: move(byte)
            }
        }
    }

    private var isAtEndOfLevel: Bool { scanner.next == UInt8(ascii: "}") || scanner.next == UInt8(ascii: "]") }

    private mutating func move(_ byte: UInt8) {
        _ = scanner.skip(Unicode.Scalar(byte))
        text.append(byte)
    }

    private mutating func writeString() -> Bool {
        let start = scanner.position
        guard scanner.skipText() != nil else { return false }
        text.append(contentsOf: scanner.bytes[start..<scanner.position])
        return true
    }

    /// Writes the name of a member and the colon, if the innermost level is an object that goes on.
    private mutating func beginMember() -> Bool {
        scanner.skipSpace()
        guard levels.last?.isObject == true, !isAtEndOfLevel else { return true }
        let (start, position) = (text.count, scanner.position)
        guard let range = scanner.skipText(), let name = scanner.string(in: range) else { return false }
        text.append(contentsOf: scanner.bytes[position..<scanner.position])
        levels[levels.count - 1].members.append((name, start))
        scanner.skipSpace()
        move(UInt8(ascii: ":"))
        return true
    }

    /// Removes the members of the object that ends, but the last one of each name.
    private mutating func removeRepeated(_ members: [(name: String, start: Int)]) {
        var last: [String: Int] = [:]
        for (index, member) in members.enumerated() { last[member.name] = index }
        guard last.count < members.count, let first = members.first else { return }
        var kept: [UInt8] = []
        for (index, member) in members.enumerated() where last[member.name] == index {
            // Up to the comma before the next one.
            let end = index + 1 < members.count ? members[index + 1].start - 1 : text.count
            if !kept.isEmpty { kept.append(UInt8(ascii: ",")) }
            kept += text[member.start..<end]
        }
        text.replaceSubrange(first.start..., with: kept)
    }
}
