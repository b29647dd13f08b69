import Foundation
import Testing

@testable import SettingsKitFiles

/// The writer's work, looked at by others than the reader.
@Suite("What is written for other replicas")
struct ReplicaFileOutputTests {
    private static let records: [SharedRecord] = {
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let values = JSONTexts.values + JSONTexts.others + JSONTexts.nearly + [deep, "1\n", " 1", "\u{2028}", "1e400"]
        let records = values.enumerated().map { index, value in
            SharedRecord(
                name: "name \(index) \\ \"\n\u{1}\u{2028}👍",
                entry: sharedEntry(value, Int64(index), order: UInt16(index)))
        }
        return sampleReplicaRecords + records
    }()

    private static let file = ReplicaFileWriter.bytes(sampleHeader, records)

    @Test("What is written for other replicas is the text that is documented")
    func isTheTextThat() {
        let records = [
            SharedRecord(name: "theme", entry: sharedEntry("\"dark\"", Device.noon + 120, by: 0x1F0A)),
            SharedRecord(name: "nickname", entry: sharedEntry(nil, 0, order: 3, by: 0x77C2, unknown: #""x":1"#)),
            SharedRecord(name: "a\"b", entry: sharedEntry("", Device.noon, by: .max)),
        ]
        let header = ReplicaHeader(
            replica: ReplicaID(0x1F0A), device: "Ann's laptop", written: Device.noon, recordCount: 3,
            unknownFields: Array(#""y":2"#.utf8))
        let expected = [
            #"{"settings":"replica","version":1,"replica":"0000000000001f0a","device":"Ann's laptop","#
                + #""written":"2026-11-21T12:00:00.000Z","records":3,"y":2"#,
            #"{"key":"theme","value":"dark","changed":"2026-11-21T12:00:00.120Z","by":"0000000000001f0a""#,
            #"{"key":"nickname","deleted":true,"changed":"1970-01-01T00:00:00.000Z","order":3,"by":"00000000000077c2","x":1"#,
            #"{"key":"a\"b","data":"","changed":"2026-11-21T12:00:00.000Z","by":"ffffffffffffffff""#,
        ]
        let found = lines(of: ReplicaFileWriter.bytes(header, records)).map { String(decoding: $0, as: UTF8.self) }
        #expect(found.map { String($0.dropLast(LineCheck.size)) } == expected)
        #expect(found.allSatisfy { $0.suffix(LineCheck.size).wholeMatch(of: /,"check":"[0-9a-f]{8}"}/) != nil })
    }

    @Test("What is written for other replicas is an object a line for Foundation, with the documented members")
    func isAnObjectA() throws {
        let lines = lines(of: Self.file)
        #expect(Self.file.last == UInt8(ascii: "\n"))
        #expect(lines.count == Self.records.count + 1)
        let header = try #require(JSONSerialization.jsonObject(with: Data(lines[0])) as? [String: Any])
        #expect(Set(header.keys) == ["settings", "version", "replica", "device", "written", "records", "check"])
        #expect(header["settings"] as? String == "replica")
        #expect(header["version"] as? Int == 1)
        #expect(header["replica"] as? String == sampleHeader.replica.description)
        #expect(header["device"] as? String == sampleHeader.device)
        #expect(header["records"] as? Int == Self.records.count)
        for (line, record) in zip(lines.dropFirst(), Self.records) where record.entry.value != Data("1e400".utf8) {
            let members = try #require(
                JSONSerialization.jsonObject(with: Data(line)) as? [String: Any], "\(record.name)")
            #expect(members["key"] as? String == record.name)
            #expect(members["by"] as? String == record.entry.stamp.replica.description)
            #expect(members["order"] as? Int ?? 0 == Int(record.entry.stamp.moment.instant.order))
            #expect((members["order"] == nil) == (record.entry.stamp.moment.instant.order == 0))
            #expect(["value", "data", "deleted"].count { members[$0] != nil } == 1)
            let data = (members["data"] as? String).flatMap { Data(base64Encoded: $0) }
            switch record.entry.value {
            case nil: #expect(members["deleted"] as? Bool == true)
            case let value? where members["value"] == nil: #expect(data == value)
            case let value?:
                let expected = try JSONSerialization.jsonObject(with: value, options: .fragmentsAllowed)
                #expect((members["value"] as? NSObject) == (expected as? NSObject))
            }
        }
    }

    /// Reads a file, and what is expected of it: a line of hexadecimal digits for each name, and one for its value.
    private static let script = """
        import base64, datetime
        table = []
        for byte in range(256):
            for _ in range(8): byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
            table.append(byte)
        def crc32c(text):
            state = 0xFFFFFFFF
            for byte in text: state = state >> 8 ^ table[(state ^ byte) & 255]
            return state ^ 0xFFFFFFFF
        file = open(sys.argv[1], 'rb').read()
        expected = open(sys.argv[2]).read().split('\\n')
        assert file.endswith(b'\\n')
        lines = file.split(b'\\n')[:-1]
        header = json.loads(lines[0])
        assert header['settings'] == 'replica' and header['records'] == len(lines) - 1
        for line in lines:
            members = json.loads(line)
            assert list(members)[-1] == 'check'
            assert members['check'] == '%08x' % crc32c(line[:-20]), line
            moment = datetime.datetime.strptime(members.get('changed') or members['written'], '%Y-%m-%dT%H:%M:%S.%fZ')
        for index, line in enumerate(lines[1:]):
            members = json.loads(line)
            name, value = expected[2 * index], expected[2 * index + 1]
            assert members['key'].encode() == bytes.fromhex(name), line
            if value == 'deleted': assert members['deleted'] is True, line
            elif 'data' in members: assert base64.b64decode(members['data'], validate=True) == bytes.fromhex(value), line
            else: assert repr(members['value']) == repr(json.loads(bytes.fromhex(value))), line
        print('good', len(lines))
        """

    @Test(
        "What is written for other replicas is JSON with right checks for Python",
        .enabled(if: Program.python, "python3 is not installed"))
    func isJSONWithRight() throws {
        func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        let expected = Self.records.map { record in
            "\(hexadecimal(record.name.utf8))\n\(record.entry.value.map { hexadecimal($0) } ?? "deleted")"
        }
        try withTemporaryDirectory { directory in
            try write(Data(Self.file), to: directory + "/file")
            try write(expected.joined(separator: "\n"), to: directory + "/expected")
            let result = try Program.python(Self.script, directory + "/file", directory + "/expected")
            #expect(result.text == "good \(Self.records.count + 1)\n")
        }
    }
}
