import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

@Suite("A replica's file gives back", .ownThreads)
struct ReplicaFileRoundTripTests {
    /// Whether the value is in the file in plain sight, and what is read of it.
    private func roundTrip(_ value: Data) throws -> (isPlain: Bool, read: Data?) {
        let bytes = replicaFile(of: value)
        let file = try #require(replicaFile(bytes))
        #expect(file.isComplete)
        let record = try #require(file.records.first)
        #expect(file.records.count == 1)
        let members = try #require(lines(of: bytes).last)
        return (Data(members).range(of: Data(",\"value\":".utf8)) != nil, record.entry.value)
    }

    @Test("A replica's file gives back its header and records of all kinds")
    func itsHeaderAndRecords() throws {
        let file = try #require(replicaFile(sampleReplicaFile))
        #expect(file.header == sampleHeader)
        #expect(file.records.isIdentical(to: sampleReplicaRecords))
        #expect(file.damagedLines == 0)
        #expect(file.isComplete)
    }

    @Test("A replica's file gives back the header of a part, and that of a head which lists parts")
    func theHeaderOfA() throws {
        var part = sampleHeader
        (part.part, part.serial) = (3, 0xFEDC_BA98_7654_3210)
        var head = sampleHeader
        (head.parts, head.total) = ([nil, 7, nil, .max], 10_000)
        for header in [part, head] {
            let file = try #require(replicaFile(ReplicaFileWriter.bytes(header, sampleReplicaRecords)))
            #expect(file.header == header)
            #expect(file.isComplete)
        }
    }

    @Test("A replica's file gives back nothing but its header if there is nothing")
    func nothingButItsHeader() throws {
        let bytes = ReplicaFileWriter.bytes(sampleHeader, [])
        let file = try #require(replicaFile(bytes))
        #expect(lines(of: bytes).count == 1)
        #expect(file.header?.recordCount == 0)
        #expect(file.records.isEmpty)
        #expect(file.isComplete)
    }

    @Test(
        "A replica's file gives back JSON to the byte, and has it in plain sight",
        arguments: JSONTexts.values + ["1e400", #""\ud83d""#])
    func jsonToTheByte(text: String) throws {
        let value = Data(text.utf8)
        let (isPlain, read) = try roundTrip(value)
        #expect(isPlain)
        #expect(read == value)
    }

    @Test(
        "A replica's file gives back what is no JSON, or not on one line, to the byte",
        arguments: JSONTexts.others + JSONTexts.nearly + [
            "1\n", "\n1", " 1", "1 ", "\t1", "1\t", "[\n]", "{\r\n}", "\"\r\"",
        ])
    func whatIsNoJSON(text: String) throws {
        let value = Data(text.utf8)
        let (isPlain, read) = try roundTrip(value)
        #expect(!isPlain)
        #expect(read == value)
    }

    @Test(
        "A replica's file gives back bytes that are no text",
        arguments: [
            [], [0], [0xFF], [0x22, 0xC3, 0x28, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xEF, 0xBB, 0xBF, 0x31],
            Array(0...255), [0x22, 0x0A, 0x22], [0xFE, 0xFF, 0x00, 0x31],
        ] as [[UInt8]])
    func bytesThatAreNo(bytes: [UInt8]) throws {
        let (isPlain, read) = try roundTrip(Data(bytes))
        #expect(!isPlain)
        #expect(read == Data(bytes))
    }

    @Test(
        "A replica's file gives back deep values, in plain sight up to the limit", arguments: [511, 512, 513, 5_000])
    func deepValuesInPlain(depth: Int) throws {
        for (opening, inner, closing) in [("[", "", "]"), ("{\"a\":", "1", "}")] {
            let text = String(repeating: opening, count: depth) + inner + String(repeating: closing, count: depth)
            let (isPlain, read) = try roundTrip(Data(text.utf8))
            #expect(isPlain == (depth <= CoreLimits.jsonDepth))
            #expect(read == Data(text.utf8))
        }
    }

    @Test("A replica's file gives back values that look like a part of the format")
    func valuesThatLookLike() throws {
        let texts = [
            #"","check":"00000000"}"#, #"{"check":"00000000"}"#, #"{"key":"a","value":1}"#,
            #""\",\"check\":\"00000000\"}""#,
            String(decoding: sampleReplicaFile, as: UTF8.self),
        ]
        for text in texts { #expect(try roundTrip(Data(text.utf8)).read == Data(text.utf8)) }
    }

    @Test("A replica's file gives back a large value in either form")
    func aLargeValueIn() throws {
        let text = Data(("\"" + String(repeating: "é\\n", count: 50_000) + "\"").utf8)
        let data = Data(repeating: 0xA5, count: 200_000)
        for value in [text, data] { #expect(try roundTrip(value).read == value) }
    }

    @Test("A replica's file gives back random bytes, and random property list values")
    func randomBytesAndRandom() throws {
        for seed in Rounds.seeds(0..<20) {
            var random = RandomPropertyList(seed: seed)
            random.usesControlCharacters = true
            var records: [SharedRecord] = []
            for index in 0..<40 {
                let value = index % 2 == 0 ? random.data() : NativeValue.bytes(of: random.value(depth: 3))
                let stamp = Stamp(
                    Instant(number: random.generator.next() >> 17), epoch: UInt32(index % 3),
                    replica: random.generator.next())
                let entry = SharedEntry(stamp: stamp, value: index % 7 == 0 ? nil : value)
                records.append(SharedRecord(name: "\(index) \(random.string())", entry: entry))
            }
            // Names have no zero byte.
            records = records.filter { !$0.name.utf8.contains(0) }
            let file = replicaFile(ReplicaFileWriter.bytes(sampleHeader, records))
            #expect(file?.records.isIdentical(to: records) == true, "seed \(seed)")
            #expect(file?.isComplete == true, "seed \(seed)")
        }
    }

    // MARK: Names

    private static let names = [
        "a", " ", " a ", "a b", "\"", "\\", "\\\"", "a\"b\\c", "\\u0041", "/", "a/b", "\n", "\r", "\r\n", "\t", "a\nb",
        "\u{1}\u{8}\u{B}\u{C}\u{1F}", "\u{7F}\u{80}\u{85}", "\u{2028}\u{2029}", "\u{FEFF}a", "\u{FFFD}\u{FFFE}\u{FFFF}",
        "\u{10FFFF}",
        "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "漢字", "\u{202E}abc", "key", "value", "check", #"a","check":"00000000"}"#, "null",
        String(repeating: "x", count: 4_096), String(repeating: "\u{1}", count: 4_096),
        String(repeating: "🚀", count: 1_024),
    ]

    @Test(
        "A replica's file gives back any name", arguments: names)
    func anyName(name: String) throws {
        let file = try #require(replicaFile(replicaFile(of: Data("1".utf8), named: name)))
        #expect(file.records.map { Array($0.name.utf8) } == [Array(name.utf8)])
        #expect(file.isComplete)
    }

    @Test(
        "A replica's file gives back any name of a device", arguments: names)
    func anyNameOfA(name: String) throws {
        var header = sampleHeader
        header.device = name
        let file = try #require(replicaFile(ReplicaFileWriter.bytes(header, [])))
        #expect(file.header.map { Array($0.device.utf8) } == Array(name.utf8))
    }

    @Test("A replica's file gives back both spellings of a name as they are")
    func bothSpellingsOfA() throws {
        let names = ["caf\u{E9}", "cafe\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}"]
        let records = names.map { SharedRecord(name: $0, entry: sharedEntry("1", 1)) }
        let file = try #require(replicaFile(ReplicaFileWriter.bytes(sampleHeader, records)))
        #expect(file.records.isIdentical(to: records))
    }

    // MARK: Stamps

    @Test("A replica's file gives back all stamps")
    func allStamps() throws {
        var records: [SharedRecord] = []
        for milliseconds in [0, 1, 999, 1_000, Device.noon + 123, Instant.latestMilliseconds] {
            for order in [0, 1, 9, 10, 65_535] as [UInt16] {
                for replica in [0, 1, 0xABC, .max] as [UInt64] {
                    let stamped = sharedEntry("1", milliseconds, order: order, by: replica)
                    records.append(SharedRecord(name: "a", entry: stamped))
                }
            }
        }
        let file = try #require(replicaFile(ReplicaFileWriter.bytes(sampleHeader, records)))
        #expect(file.records.isIdentical(to: records))
    }

    @Test("A replica's file gives back what it says of the replica")
    func whatItSaysOf() throws {
        for (number, time) in [(0, 0), (.max, Instant.latestMilliseconds), (0xA, Device.noon + 1)] as [(UInt64, Int64)]
        {
            let header = ReplicaHeader(replica: ReplicaID(number), device: "", written: time, recordCount: 0)
            #expect(replicaFile(ReplicaFileWriter.bytes(header, []))?.header == header)
        }
    }

    @Test(
        "A replica's file gives back everything else where the device's clock shows what no clock can",
        arguments: [.min, -1, Instant.latestMilliseconds + 1, .max] as [Int64])
    func everythingElseWhereThe(written: Int64) throws {
        var header = sampleHeader
        header.written = written
        let file = try #require(replicaFile(ReplicaFileWriter.bytes(header, sampleReplicaRecords)))
        header.written = written < 0 ? 0 : Instant.latestMilliseconds
        #expect(file.header == header)
        #expect(file.isComplete)
    }

    @Test("A replica's file gives back the number of its records, whatever the header was made with")
    func theNumberOfIts() throws {
        let bytes = ReplicaFileWriter.bytes(sampleHeader, Array(sampleReplicaRecords.prefix(2)))
        #expect(replicaFile(bytes)?.header?.recordCount == 2)
    }
}
