import Foundation

extension ForeignDocument {
    /// Binary files, with the object `a` of a dictionary as bytes.
    static let binaries: [ForeignDocument] =
        ["00", "01", "0x", "0?", "10", "15", " 0"].map { version in
            var file = binary([0x09])
            file.replaceSubrange(6..<8, with: Data(version.utf8))
            return ForeignDocument(name: "bplist\(version)", data: file)
        }
        + [2, 3, 4, 8, 9, 16].map { size in
            var builder = BinaryFileBuilder()
            builder.referenceSize = size
            builder.objects = [[0xD1] + wideReference(1, size) + wideReference(2, size), [0x51, 0x61], [0x09]]
            return ForeignDocument(name: "references of \(size) bytes", data: builder.file())
        }
        + objects.map { ForeignDocument(name: "object \($0.name)", data: binary($0.bytes, $0.others)) }
        + [
            ForeignDocument(name: "bytes behind the trailer", data: binary([0x09]) + [0]),
            ForeignDocument(name: "a key that is a number", data: root([0xD1, 1, 2], [[0x10, 5], [0x09]])),
            ForeignDocument(name: "a repeated key", data: root([0xD2, 1, 1, 2, 3], [[0x51, 0x61], [0x08], [0x09]])),
        ]

    private static func binary(_ object: [UInt8], _ others: [[UInt8]] = []) -> Data {
        root([0xD1, 1, 2], [[0x51, 0x61], object] + others)
    }

    private static func root(_ dictionary: [UInt8], _ others: [[UInt8]]) -> Data {
        BinaryFileBuilder(objects: [dictionary] + others).file()
    }

    private static func wideReference(_ object: UInt8, _ size: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: size - 1) + [object]
    }

    private static let ones = [UInt8](repeating: 0xFF, count: 8)
    private static let zeros = [UInt8](repeating: 0, count: 8)

    // Sets are missing: `PropertyListSerialization` ends the process at them.
    private static let objects: [(name: String, bytes: [UInt8], others: [[UInt8]])] = [
        ("null", [0], []), ("false", [8], []), ("fill", [0x0F], []), ("0A", [0x0A], []),
        ("URL", [0x0C, 0x51, 0x61], []),
        ("1 byte", [0x10, 0xFF], []), ("4 bytes", [0x12, 0xFF, 0xFF, 0xFF, 0xFF], []), ("8 bytes", [0x13] + ones, []),
        ("16 bytes", [0x14] + zeros + ones, []), ("16 bytes, too large", [0x14] + zeros.dropLast() + [1] + zeros, []),
        ("32 bytes", [0x15] + zeros + zeros + zeros + zeros, []), ("half float", [0x21, 1, 1], []),
        ("float", [0x22, 0x3F, 0x80, 0, 0], []), ("double", [0x23, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0], []),
        ("date", [0x33, 0x41, 0, 0, 0, 0, 0, 0, 0], []), ("date of 4 bytes", [0x32, 0, 0, 0, 0], []),
        ("data", [0x41, 7], []),
        ("data with a long count", [0x4F, 0x14] + zeros + zeros.dropLast() + [1, 7], []),
        ("data, too long", [0x42, 7], []),
        ("string that is not ASCII", [0x52, 0x61, 0xE9], []), ("string with NUL", [0x51, 0], []),
        ("empty string", [0x50], []),
        ("UTF-16", [0x61, 0, 0xE9], []), ("half a pair", [0x61, 0xD8, 0], []),
        ("the other half", [0x62, 0xDC, 0, 0, 0x61], []),
        ("UTF-8", [0x71, 0x61], []), ("array", [0xA1, 1], []), ("array with null", [0xA1, 3], [[0]]),
        ("array in itself", [0xA1, 2], []),
        ("dictionary", [0xD1, 1, 1], []), ("dictionary with a number as key", [0xD1, 3, 1], [[0x10, 5]]),
        ("dictionary with half a pair as key", [0xD1, 3, 1], [[0x61, 0xD8, 0]]), ("90", [0x90], []), ("F0", [0xF0], []),
    ]
}
