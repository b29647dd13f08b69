import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

/// What `settings.set` writes, as Python's plistlib and plutil see it.
@Suite("Settings are native values to other programs")
struct NativeFormTests {
    struct Point: Codable, Sendable, Equatable {
        var x = 1
        var label = "p"
        var tags = ["a", "b"]
        var inner = Inner()
        struct Inner: Codable, Sendable, Equatable {
            var on = true
            var ratio = 0.5
        }
    }

    /// Sets a setting, saves, and hands over the file's path.
    private func saved<T: Codable & Sendable & Equatable>(
        _ value: T, _ check: (String) throws -> Void
    ) throws {
        try withPropertyList { path in
            let setting = Setting<T?>("key", in: .defaults)
            let first: Data?
            do {
                let store = try open(path)
                let (service, problems) = SettingsService.over(store)
                try service.save(setting, to: value)
                try service.bringUpToDate()
                first = store.get(key("key"))
                #expect(problems.all.isEmpty)
            }
            let reopened = try open(path)
            #expect(first != nil && reopened.get(key("key")) == first)
            #expect(try SettingsService.over(reopened).service.load(setting) == value)
            try check(path)
        }
    }

    private func expect<T: Codable & Sendable & Equatable>(_ value: T, inPython repr: String) throws {
        try saved(value) { path in
            let view = try Program.pythonView(of: path)
            #expect(view == ["key": repr])
        }
    }

    @Test("A Bool is true or false", .enabled(if: Program.python), arguments: [(true, "True"), (false, "False")])
    func boolean(value: Bool, repr: String) throws { try expect(value, inPython: repr) }

    @Test("An Int is an integer", .enabled(if: Program.python), arguments: [0, 1, -1, 42, .max, .min])
    func integer(value: Int) throws { try expect(value, inPython: "\(value)") }

    @Test("An integer beyond Int64 is an integer", .enabled(if: Program.python))
    func unsigned() throws { try expect(UInt64.max, inPython: "18446744073709551615") }

    @Test(
        "A Double is a real", .enabled(if: Program.python),
        arguments: [
            (0.1, "0.1"), (-2.5, "-2.5"), (1e-300, "1e-300"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        ])
    func real(value: Double, repr: String) throws { try expect(value, inPython: repr) }

    @Test(
        "A String is a string", .enabled(if: Program.python),
        arguments: [
            ("new-value", "'new-value'"), ("", "''"), ("👩‍👩‍👧 ünïcode", "'👩\\u200d👩\\u200d👧 ünïcode'"),
            ("]]> <&> \"q\" 'a'", #"']]> <&> "q" \'a\''"#), ("line\nbreak\ttab", #"'line\nbreak\ttab'"#),
            (" spaces  around ", "' spaces  around '"), ("\r\n", #"'\r\n'"#),
        ])
    func string(value: String, repr: String) throws { try expect(value, inPython: repr) }

    @Test("Arrays and dictionaries are native", .enabled(if: Program.python))
    func collections() throws {
        try expect([1, 2, 3], inPython: "[1, 2, 3]")
        try expect([String](), inPython: "[]")
        try expect(["b": [true], "a": [false, true]], inPython: "{'a': [False, True], 'b': [True]}")
    }

    @Test("A nested struct is nested dictionaries", .enabled(if: Program.python))
    func nested() throws {
        try expect(
            Point(),
            inPython: "{'inner': {'on': True, 'ratio': 0.5}, 'label': 'p', 'tags': ['a', 'b'], 'x': 1}")
    }

    @Test("Data is data", .enabled(if: Program.python))
    func data() throws { try expect(Data([0, 1, 255]), inPython: #"b'\x00\x01\xff'"#) }

    @Test("A string that XML cannot hold is data, and comes back", .enabled(if: Program.python))
    func controlCharacters() throws {
        try saved("bell \u{7} null \u{0} escape \u{1B}") { path in
            let view = try Program.pythonView(of: path)
            #expect(view["key"]?.hasPrefix("b'") == true)
        }
    }

    @Test("A JSON null is stored as data, which differs from a missing value", .enabled(if: Program.python))
    func null() throws {
        try withPropertyList { path in
            let setting = Setting<Int?>("key", in: .defaults, default: 5)
            let (service, _) = SettingsService.over(try open(path))
            service.set(setting, to: nil)
            try service.bringUpToDate()
            #expect(try Program.pythonView(of: path) == ["key": "b'null'"])
            let (again, _) = SettingsService.over(try open(path))
            #expect(again.get(setting) == nil)
            #expect(again.isSet(setting))
        }
    }

    @Test("plutil finds nothing wrong and shows the values", .enabled(if: Program.plutil))
    func plutil() throws {
        try saved(["text": "a ]]> & <b> \n 👍", "more": "x"]) { path in
            let lint = try Program.run(["plutil", "-lint", path])
            #expect(lint.status == 0, "\(lint.text)")
            let view = try Program.plutilView(of: path)
            #expect(view.status == 0)
            #expect(try PropertyListReader.read(view.output) == PropertyListReader.read(bytes(of: path)))
        }
    }

    @Test("Foundation reads what is written, carriage returns included")
    func foundation() throws {
        let text = "a ]]> & <b> \r\n \r 👍"
        try saved(["text": text]) { path in
            let root = try PropertyListSerialization.propertyList(from: bytes(of: path), format: nil)
            #expect((root as? [String: [String: String]])?["key"]?["text"] == text)
        }
    }

    @Test("Any bytes that are set are read back unchanged", arguments: 0..<20)
    func anyBytes(round: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        try withTemporaryDirectory { directory in
            var expected: [String: Data] = [:]
            let store = try open(directory + "/Settings.plist")
            for index in 0..<50 {
                let value = generator.bytes()
                expected["k\(index)"] = value
                try store.set(key("k\(index)"), to: value)
            }
            try store.bringUpToDate()
            let reopened = try open(directory + "/Settings.plist")
            for (name, value) in expected {
                #expect(reopened.get(key(name)) == value, "seed \(seed), key \(name)")
            }
        }
    }
}

extension SeededGenerator {
    /// Random bytes, or text that looks much like JSON.
    fileprivate mutating func bytes() -> Data {
        let alphabet = Array(#"{}[]",:0123456789.-+eEtrufalsn \/é"#.utf8)
        let count = Int.random(in: 0..<24, using: &self)
        let isText = Bool.random(using: &self)
        return Data(
            (0..<count).map { _ in
                isText
                    ? alphabet[Int.random(in: alphabet.indices, using: &self)] : UInt8.random(in: 0...255, using: &self)
            })
    }
}
