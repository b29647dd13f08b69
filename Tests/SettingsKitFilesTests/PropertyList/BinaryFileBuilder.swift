import Foundation

/// Builds binary property lists by hand, broken ones too.
struct BinaryFileBuilder {
    var objects: [[UInt8]] = []
    var referenceSize = 1

    mutating func add(_ bytes: [UInt8]) -> Int {
        objects.append(bytes)
        return objects.count - 1
    }

    func reference(_ object: Int) -> [UInt8] {
        bigEndian(UInt64(object), size: referenceSize)
    }

    /// The bytes of an array or, with the marker of one, a dictionary.
    private func container(marker: UInt8, count: Int, references: [Int]) -> [UInt8] {
        let head = count < 15 ? [marker | UInt8(count)] : [marker | 0x0F, 0x12] + bigEndian(UInt64(count), size: 4)
        return head + references.flatMap { reference($0) }
    }

    func array(_ references: [Int]) -> [UInt8] {
        container(marker: 0xA0, count: references.count, references: references)
    }

    func dictionary(_ pairs: [(Int, Int)]) -> [UInt8] {
        container(marker: 0xD0, count: pairs.count, references: pairs.map(\.0) + pairs.map(\.1))
    }

    func string(_ text: String) -> [UInt8] {
        let utf8 = Array(text.utf8)
        return (utf8.count < 15 ? [0x50 | UInt8(utf8.count)] : [0x5F, 0x12] + bigEndian(UInt64(utf8.count), size: 4))
            + utf8
    }

    func bigEndian(_ number: UInt64, size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (size - 1 - $0))) }
    }

    /// The file. Its trailer can be made to contain wrong values.
    func file(top: UInt64 = 0, count: UInt64? = nil, table: UInt64? = nil, offsetSize: UInt8 = 4) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt64] = []
        for object in objects {
            offsets.append(UInt64(bytes.count))
            bytes += object
        }
        let start = UInt64(bytes.count)
        for offset in offsets { bytes += bigEndian(offset, size: 4) }
        bytes += [0, 0, 0, 0, 0, 0, offsetSize, UInt8(referenceSize)]
        bytes += bigEndian(count ?? UInt64(objects.count), size: 8)
        bytes += bigEndian(top, size: 8) + bigEndian(table ?? start, size: 8)
        return Data(bytes)
    }

    /// A file with one object, given as its bytes.
    static func file(_ object: [UInt8]) -> Data {
        BinaryFileBuilder(objects: [object]).file()
    }
}
