import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Reading binary property lists", .ownThreads)
struct BinaryReadingTests {
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

    @Test("Reading binary property lists refuses cycles, direct and through others")
    func refusesCyclesDirectAnd() {
        var builder = BinaryFileBuilder()
        builder.objects = [builder.array([0])]
        #expect(failure(reading: builder.file()) == .tooDeep)
        builder.objects = [builder.dictionary([(1, 2)]), builder.string("k"), builder.array([3]), builder.array([2])]
        #expect(failure(reading: builder.file()) == .tooDeep)
        builder.objects[3] = builder.array([0])
        #expect(failure(reading: builder.file()) == .tooDeep)
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

    @Test("Reading binary property lists refuses files that stand for exponentially many values")
    func refusesFilesThatStandFor() {
        var builder = BinaryFileBuilder(referenceSize: 2)
        for index in 0..<100 { builder.objects.append(builder.array(Array(repeating: index + 1, count: 10))) }
        builder.objects.append(builder.string("boom"))
        #expect(failure(reading: builder.file()) == .tooLarge)
    }

    @Test("Reading binary property lists refuses objects that overlap to be read over and over")
    func refusesObjectsThatOverlap() {
        // Twenty thousand data objects, each of which takes the hundred thousand bytes after it for its own.
        let count = 20_000
        let builder = BinaryFileBuilder(referenceSize: 2)
        var bytes = Array("bplist00".utf8)
        bytes += builder.array(Array(2...(count + 1)))
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
