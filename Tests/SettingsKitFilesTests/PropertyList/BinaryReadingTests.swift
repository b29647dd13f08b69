import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Reading binary property lists", .ownThreads)
struct BinaryReadingTests {
    @Test(
        "Reading binary property lists gives each object",
        arguments: [
            ([0x08], PropertyListValue.boolean(false)),
            ([0x09], .boolean(true)),
            ([0x10, 0xFF], .integer(255)),
            ([0x11, 0xFF, 0xFE], .integer(0xFFFE)),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(0xFFFF_FFFF)),
            ([0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], .integer(-2)),
            ([0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8), .unsigned(.max)),
            ([0x14] + [UInt8](repeating: 0xFF, count: 16), .integer(-1)),
            ([0x14] + [UInt8](repeating: 0, count: 15) + [7], .integer(7)),
            ([0x22, 0x3F, 0xC0, 0, 0], .real(1.5)),
            ([0x23, 0xBF, 0xF8, 0, 0, 0, 0, 0, 0], .real(-1.5)),
            ([0x33, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0], .date(1)),
            ([0x42, 1, 2], .data(Data([1, 2]))),
            ([0x4F, 0x10, 2, 1, 2], .data(Data([1, 2]))),
            ([0x52, 0x61, 0x62], .string("ab")),
            ([0x50], .string("")),
            ([0x63, 0x00, 0xE9, 0xD8, 0x3D, 0xDE, 0x00], .string("é😀")),
            ([0x80, 5], .dictionary([PropertyListMember(key: "CF$UID", value: .integer(5))])),
            ([0x81, 1, 0], .dictionary([PropertyListMember(key: "CF$UID", value: .integer(256))])),
            ([0xA0], .array([])), ([0xC0], .array([])), ([0xB0], .array([])), ([0xD0], .dictionary([])),
        ] as [([UInt8], PropertyListValue)])
    func givesEachObject(object: [UInt8], value: PropertyListValue) throws {
        #expect(try PropertyListReader.read(BinaryFileBuilder.file(object)) == value)
    }

    @Test(
        "Reading binary property lists refuses broken objects",
        arguments: [
            [0x00], [0x0F], [0x01], [0x15], [0x21, 0, 0], [0x24], [0x32, 0, 0, 0, 0], [0x70], [0x90], [0xE0], [0xF0],
            [0x11, 0], [0x13, 0, 0], [0x23, 0], [0x33], [0x45, 1], [0x55], [0x62, 0, 0x41],
            [0x88, 0, 0, 0, 0, 0, 0, 0],
            [0x14, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
            [0x14] + [UInt8](repeating: 0xFF, count: 8) + [0, 0, 0, 0, 0, 0, 0, 0],
            [0x4F], [0x4F, 0x50], [0x4F, 0x14, 0], [0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x6F, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0],
            [0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0],
            [0xA1], [0xA1, 9], [0xD1, 0], [0xA1, 0], [0xD1, 0, 0],
        ] as [[UInt8]])
    func refusesBrokenObjects(object: [UInt8]) {
        #expect(failure(reading: BinaryFileBuilder.file(object)) == .malformed)
    }

    @Test("Reading binary property lists refuses trailers that contradict the file")
    func refusesTrailersThatContradict() {
        let builder = BinaryFileBuilder(objects: [[0xA0], [0x09]])
        #expect(failure(reading: builder.file()) == nil)
        let broken = [
            builder.file(top: 2), builder.file(top: .max), builder.file(count: 0), builder.file(count: 3),
            builder.file(count: .max), builder.file(count: 1 << 62), builder.file(table: 0), builder.file(table: 8),
            builder.file(table: .max), builder.file(table: 1 << 63), builder.file(table: 11),
            builder.file(table: 9, offsetSize: 1), builder.file(offsetSize: 0), builder.file(offsetSize: 255),
            builder.file(offsetSize: 8), BinaryFileBuilder(objects: [[0x09]], referenceSize: 0).file(),
        ]
        for file in broken { #expect(failure(reading: file) == .malformed) }
        #expect(failure(reading: Data("bplist00".utf8) + Data(count: 32)) == .truncated)
        #expect(failure(reading: Data("bplist00".utf8) + Data(count: 100)) == .malformed)
    }

    @Test("Reading binary property lists shares objects that are referred to twice")
    func sharesObjectsThatAre() throws {
        var builder = BinaryFileBuilder()
        builder.objects = [builder.array([1, 1, 2, 2]), builder.string("x"), builder.array([1])]
        let inner = PropertyListValue.array([.string("x")])
        #expect(try PropertyListReader.read(builder.file()) == .array([.string("x"), .string("x"), inner, inner]))
    }

    @Test("Reading binary property lists keeps the last of repeated keys, and refuses keys that are no strings")
    func keepsTheLastOf() throws {
        var builder = BinaryFileBuilder()
        builder.objects = [builder.dictionary([(1, 2), (1, 3)]), builder.string("k"), [0x08], [0x09]]
        #expect(
            try PropertyListReader.read(builder.file())
                == .dictionary([PropertyListMember(key: "k", value: .boolean(true))]))
        builder.objects[1] = [0x10, 1]
        #expect(failure(reading: builder.file()) == .malformed)
        builder.objects[1] = [0xA0]
        #expect(failure(reading: builder.file()) == .malformed)
    }

    @Test("Reading binary property lists refuses cycles, direct and through others")
    func refusesCyclesDirectAnd() {
        var builder = BinaryFileBuilder()
        builder.objects = [builder.array([0])]
        #expect(failure(reading: builder.file()) == .malformed)
        builder.objects = [builder.dictionary([(1, 2)]), builder.string("k"), builder.array([3]), builder.array([2])]
        #expect(failure(reading: builder.file()) == .malformed)
        builder.objects[3] = builder.array([0])
        #expect(failure(reading: builder.file()) == .malformed)
    }

    @Test(
        "Reading binary property lists refuses arrays nested too deeply",
        arguments: [(511, false), (512, true), (100_000, true)])
    func refusesArraysNestedToo(inner: Int, isRefused: Bool) {
        var builder = BinaryFileBuilder(referenceSize: 4)
        for index in 0..<inner { builder.objects.append(builder.array([index + 1])) }
        builder.objects.append([0xA0])
        #expect(failure(reading: builder.file()) == (isRefused ? .tooDeep : nil))
    }

    @Test("Reading binary property lists counts the depth of shared objects at every place")
    func countsTheDepthOf() {
        var builder = BinaryFileBuilder(referenceSize: 4)
        // Object 1 begins a chain of 300; from object 400 another leads to object 1 again.
        builder.objects = [builder.array([1, 400])]
        for index in 1..<300 { builder.objects.append(builder.array([index + 1])) }
        builder.objects.append([0xA0])
        while builder.objects.count < 400 { builder.objects.append([0x09]) }
        for index in 400..<650 { builder.objects.append(builder.array([index + 1])) }
        builder.objects.append(builder.array([1]))
        #expect(failure(reading: builder.file()) == .tooDeep)
    }

    @Test("Reading binary property lists refuses files that stand for exponentially many values")
    func refusesFilesThatStandFor() {
        var builder = BinaryFileBuilder(referenceSize: 2)
        for index in 0..<100 { builder.objects.append(builder.array(Array(repeating: index + 1, count: 10))) }
        builder.objects.append(builder.string("boom"))
        #expect(failure(reading: builder.file()) == .tooLarge)
    }

    @Test("Reading binary property lists refuses files that stand for too many bytes")
    func refusesFilesThatStand() {
        var builder = BinaryFileBuilder(referenceSize: 2)
        builder.objects = [
            builder.array(Array(repeating: 1, count: 3000)), builder.string(String(repeating: "x", count: 100_000)),
        ]
        #expect(failure(reading: builder.file()) == .tooLarge)
    }

    @Test(
        "Reading binary property lists refuses objects that overlap to be read over and over", arguments: [true, false])
    func refusesObjectsThatOverlap(isDictionary: Bool) {
        // Twenty thousand data objects, each of which takes the hundred thousand bytes after it for its own.
        let count = 20_000
        let builder = BinaryFileBuilder(referenceSize: 2)
        let references =
            isDictionary ? (1...count).flatMap { _ in [1] } + Array(2...(count + 1)) : Array(2...(count + 1))
        var bytes = Array("bplist00".utf8)
        bytes += builder.container(marker: isDictionary ? 0xD0 : 0xA0, count: count, references: references)
        var offsets = [8, bytes.count]
        bytes += builder.string("k")
        for _ in 0..<count {
            offsets.append(bytes.count)
            bytes += [0x4F, 0x12, 0x00, 0x01, 0x86, 0xA0]
        }
        bytes += [UInt8](repeating: 0, count: 110_000)
        let table = bytes.count
        bytes += offsets.flatMap { builder.bigEndian(UInt64($0), size: 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, 2] + builder.bigEndian(UInt64(offsets.count), size: 8)
        bytes += builder.bigEndian(0, size: 8) + builder.bigEndian(UInt64(table), size: 8)
        #expect(failure(reading: Data(bytes)) == .tooLarge)
    }
}
