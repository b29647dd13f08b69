import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("Settings and other programs' values", .enabled(if: Tool.python.isInstalled))
struct NativeFormTests {
    struct Point: Codable, Sendable, Equatable {
        var x = 1
        var label = "p"
        var tags = ["a", "b"]
        var inner = ["on": true]
    }

    /// Python's representation of each member.
    private func pythonView(of path: String) throws -> [String: String] {
        let result = try Tool.runPython(
            """
            with open(sys.argv[1], 'rb') as f: root = plistlib.load(f)
            print(json.dumps({key: repr(value) for key, value in root.items()}))
            """, path)
        try #require(result.status == 0)
        return try JSONDecoder().decode([String: String].self, from: Data(result.text.utf8))
    }

    @Test("Other programs see a setting as a native value, which comes back to the byte")
    func written() throws {
        try withPropertyList { path in
            var (expected, bytes): ([String: String], [String: Data]) = ([:], [:])
            do {
                let store = try open(path)
                let (service, problems) = SettingsService.over(store)
                func set<T: Codable & Sendable & Equatable>(_ value: T, _ python: String) throws {
                    let setting = Setting<T>("\(expected.count)", in: .defaults, default: value)
                    try service.save(setting, to: value)
                    expected[setting.key.name] = python
                    bytes[setting.key.name] = store.get(setting.key)
                }
                for value in [true, false] { try set(value, value ? "True" : "False") }
                for value in [0, -1, .max, .min] { try set(value, "\(value)") }
                try set(UInt64.max, "18446744073709551615")
                for value in [0.1, -2.5, 1e-300] { try set(value, "\(value)") }
                try set("", "''")
                try set("👩‍👩‍👧 ünïcode", "'👩\\u200d👩\\u200d👧 ünïcode'")
                try set("]]> <&> \"q\" 'a'", #"']]> <&> "q" \'a\''"#)
                try set(" line\r\nbreak\t", #"' line\r\nbreak\t'"#)
                try set([1, 2], "[1, 2]")
                try set(["b": [true], "a": []], "{'a': [], 'b': [True]}")
                try set(Point(), "{'inner': {'on': True}, 'label': 'p', 'tags': ['a', 'b'], 'x': 1}")
                try set(Date(timeIntervalSinceReferenceDate: 0.5), "'2001-01-01T00:00:00.5Z'")
                try set(Duration.seconds(120), "'2m'")
                try set(Data([0, 1, 255]), #"b'\x00\x01\xff'"#)
                try service.save(Setting<Int?>("null", in: .defaults, default: 5), to: nil)
                expected["null"] = "b'null'"
                try set("bell \u{7}", #"b'"bell \\u0007"'"#)
                try service.bringUpToDate()
                #expect(problems.all.isEmpty)
            }
            #expect(try pythonView(of: path) == expected)
            let reopened = try open(path)
            #expect(reopened.keys().count == expected.count)
            for (name, value) in bytes { #expect(reopened.get(key(name)) == value, "\(name)") }
        }
    }

    @Test("A file of Python's reads as settings, and keeps its other values", arguments: ["FMT_XML", "FMT_BINARY"])
    func read(format: String) throws {
        try withPropertyList { path in
            let result = try Tool.runPython(
                """
                root = {'flag': True, 'number': -42, 'big': 18446744073709551615, 'real': 2.5, 'text': 'é👍 <&>\\n',
                        'date': datetime.datetime(2023, 11, 14, 22, 13, 20), 'data': b'\\x00\\xff', 'list': [1, 2],
                        'map': {'x': 'y', 'n': {'z': False}}}
                with open(sys.argv[1], 'wb') as f: plistlib.dump(root, f, fmt=plistlib.\(format))
                """, path)
            try #require(result.status == 0, "\(result.text)")
            var expected = try pythonView(of: path)
            let (service, problems) = SettingsService.over(try open(path))
            #expect(try service.load(Setting<Bool>("flag", in: .defaults, default: false)))
            #expect(try service.load(Setting<Int>("number", in: .defaults, default: 0)) == -42)
            #expect(try service.load(Setting<Double>("number", in: .defaults, default: 0)) == -42)
            #expect(try service.load(Setting<UInt64>("big", in: .defaults, default: 0)) == .max)
            #expect(try service.load(Setting<Double>("real", in: .defaults, default: 0)) == 2.5)
            #expect(try service.load(Setting<String>("text", in: .defaults, default: "")) == "é👍 <&>\n")
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            #expect(try service.load(Setting<Date?>("date", in: .defaults)) == date)
            #expect(try service.load(Setting<Data?>("data", in: .defaults)) == Data([0, 255]))
            #expect(try service.load(Setting<[Int]>("list", in: .defaults, default: [])) == [1, 2])
            #expect(problems.all.isEmpty)
            service.set(Setting<Bool>("flag", in: .defaults, default: true), to: false)
            service.set(Setting<Date?>("date", in: .defaults), to: date + 60)
            try service.bringUpToDate()
            expected["flag"] = "False"
            expected["date"] = "datetime.datetime(2023, 11, 14, 22, 14, 20)"
            #expect(try pythonView(of: path) == expected)
        }
    }
}
