import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file format recognized by its first bytes. A file in it belongs to another program, and is not a damaged property list.
struct OtherFormat: ValueFreeError, Equatable {
    /// The name of a file in the format: "an SQLite database".
    let name: String

    var description: String {
        "The file is \(name), and not a property list; name another file, or move this one away."
    }

    private static let beginnings: [(bytes: [UInt8], offset: Int, name: String)] = [
        (Array("SQLite format 3\0".utf8), 0, "an SQLite database"),
        ([0x50, 0x4B, 0x03, 0x04], 0, "a ZIP archive"), ([0x50, 0x4B, 0x05, 0x06], 0, "a ZIP archive"),
        ([0x1F, 0x8B], 0, "an archive compressed with gzip"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], 0, "an archive compressed with xz"),
        (Array("BZh".utf8), 0, "an archive compressed with bzip2"),
        ([0x28, 0xB5, 0x2F, 0xFD], 0, "an archive compressed with zstd"),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], 0, "a 7z archive"), (Array("Rar!\u{1A}\u{7}".utf8), 0, "a RAR archive"),
        (Array("!<arch>\n".utf8), 0, "an archive"), (Array("ustar".utf8), 257, "a tar archive"),
    ]

    /// Recognizes the format of a file; nil for any other file. Constant time, but for white space and a first name in JSON.
    init?(of file: Data) {
        for (bytes, offset, name) in Self.beginnings where file.dropFirst(offset).starts(with: bytes) {
            self.name = name
            return
        }
        guard Self.isJSON(file) else { return nil }
        name = "JSON"
    }

    /// Whether a file begins as an object or an array in JSON. The old text format of property lists begins with a brace,
    /// too, but has an equals sign after a name; and a configuration file begins with a word in brackets.
    private static func isJSON(_ file: Data) -> Bool {
        let isMarked = file.starts(with: [0xEF, 0xBB, 0xBF])
        var rest = (isMarked ? file.dropFirst(3) : file).drop(while: isSpace)
        guard let opening = rest.popFirst() else { return false }
        rest = rest.drop(while: isSpace)
        switch (opening, rest.first) {
        case (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "["), UInt8(ascii: "]")):
            return rest.dropFirst().allSatisfy(isSpace)
        case (UInt8(ascii: "{"), UInt8(ascii: "\"")):
            return restAfterString(rest).drop(while: isSpace).first == UInt8(ascii: ":")
        case (UInt8(ascii: "["), let byte?): return "{[\"-0123456789".utf8.contains(byte)
        default: return false
        }
    }

    private static func restAfterString(_ text: Data) -> Data {
        var rest = text.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { _ = rest.popFirst() }
        }
        return rest
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
