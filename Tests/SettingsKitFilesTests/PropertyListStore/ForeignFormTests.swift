import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

/// Files that others have written: by hand, with plistlib, plutil and Foundation.
@Suite("Property lists of others are read")
struct ForeignFormTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    /// A file with one value of each kind, written by Python.
    private static func makeWithPython(_ path: String, format: String) throws {
        let result = try Program.python(
            """
            root = {'flag': True, 'number': -42, 'big': 18446744073709551615, 'real': 2.5, 'text': 'é👍 <&>\\n',
                    'date': datetime.datetime(2023, 11, 14, 22, 13, 20), 'data': b'\\x00\\xff', 'list': [1, 2],
                    'map': {'x': 'y', 'n': {'z': False}}}
            with open(sys.argv[1], 'wb') as f: plistlib.dump(root, f, fmt=plistlib.\(format))
            """, path)
        try #require(result.status == 0, "\(result.text)")
    }

    @Test(
        "Plistlib's XML and binary files read as settings of the matching types", .enabled(if: Program.python),
        arguments: ["FMT_XML", "FMT_BINARY"])
    func plistlib(format: String) throws {
        try withPropertyList { path in
            try Self.makeWithPython(path, format: format)
            let before = try Program.pythonView(of: path)
            let store = try open(path)
            let (service, problems) = SettingsService.over(store)
            #expect(try service.load(Setting<Bool>("flag", in: .defaults, default: false)))
            #expect(try service.load(Setting<Int>("number", in: .defaults, default: 0)) == -42)
            #expect(try service.load(Setting<UInt64>("big", in: .defaults, default: 0)) == .max)
            #expect(try service.load(Setting<Double>("real", in: .defaults, default: 0)) == 2.5)
            #expect(try service.load(Setting<Double>("number", in: .defaults, default: 0)) == -42)
            #expect(try service.load(Setting<String>("text", in: .defaults, default: "")) == "é👍 <&>\n")
            #expect(try service.load(Setting<Date?>("date", in: .defaults)) == Self.date)
            #expect(try service.load(Setting<Data?>("data", in: .defaults)) == Data([0, 255]))
            #expect(try service.load(Setting<[Int]>("list", in: .defaults, default: [])) == [1, 2])
            #expect(problems.all.isEmpty)
            // One change leaves all others unchanged, as their program reads them.
            service.set(Setting<Bool>("flag", in: .defaults, default: true), to: false)
            try service.bringUpToDate()
            var expected = before
            expected["flag"] = "False"
            #expect(try Program.pythonView(of: path) == expected)
        }
    }

    @Test(
        "A file that PropertyListSerialization reads keeps its values when another is set",
        arguments: [
            "<date>2024-01-32T20:43:14Z</date>", "<integer>-   99</integer>", "<integer> +\t42</integer>",
            "<data>QUJD====</data>",
            "<string>&#0;</string>", "<string a=\"b>x</string>", "<key>x</key>",
            "<string>x</string></dict></plist> more",
        ])
    func lenient(value: String) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try Data("<plist><dict><key>a</key>\(value)</dict></plist>".utf8).write(to: URL(filePath: path))
            func foundationValue() throws -> NSObject? {
                let list = try PropertyListSerialization.propertyList(
                    from: Data(contentsOf: URL(filePath: path)), format: nil)
                return (list as? NSDictionary)?["a"] as? NSObject
            }
            let before = try #require(try foundationValue())
            let (service, problems) = SettingsService.over(try open(path))
            service.set(Setting<Bool>("flag", in: .defaults, default: true), to: false)
            try service.bringUpToDate()
            #expect(problems.all.isEmpty)
            if value == "<string>&#0;</string>" {
                // XML cannot hold it: the file has the JSON text as data.
                #expect(service.get(Setting<String>("a", in: .defaults, default: "")) == "\0")
            } else {
                #expect(try foundationValue() == before)
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory).allSatisfy { !$0.contains("damaged") })
        }
    }

    @Test(
        "What plutil has converted to binary reads the same, and is written as XML again", .enabled(if: Program.plutil))
    func plutilBinary() async throws {
        try await withPropertyList { path in
            let setting = Setting<[String: [Int]]>("map", in: .defaults, default: [:])
            do {
                let (service, _) = SettingsService.over(try open(path))
                service.set(setting, to: ["a": [1, 2], "é": []])
                try service.bringUpToDate()
            }
            try #require(Program.run(["plutil", "-convert", "binary1", path]).status == 0)
            try #require(bytes(of: path).starts(with: "bplist00".utf8))
            let (service, problems) = SettingsService.over(try open(path))
            #expect(try service.load(setting) == ["a": [1, 2], "é": []])
            service.set(setting, to: ["b": [3]])
            try service.bringUpToDate()
            #expect(try bytes(of: path).starts(with: "<?xml".utf8))
            // And while the store is open.
            try #require(Program.run(["plutil", "-convert", "binary1", path]).status == 0)
            let log = Recorder<SettingsService.Origin>()
            let subscription = service.observe(setting) { log.append($0.origin) }
            try service.bringUpToDate()
            #expect(service.get(setting) == ["b": [3]])
            #expect(log.all.isEmpty)
            try #require(Program.run(["plutil", "-replace", "map", "-json", #"{"c":[4]}"#, path]).status == 0)
            try service.bringUpToDate()
            #expect(service.get(setting) == ["c": [4]])
            // The watch may have noticed the edit first; it then calls the listeners in its own thread.
            #expect(try await eventually { !log.all.isEmpty })
            #expect(log.all == [.external])
            #expect(problems.all.isEmpty)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("A native date stays a date when a whole second is set", .enabled(if: Program.python))
    func dateStaysADate() throws {
        try withPropertyList { path in
            try Self.makeWithPython(path, format: "FMT_XML")
            let setting = Setting<Date?>("date", in: .defaults)
            let later = Self.date.addingTimeInterval(60)
            do {
                let (service, _) = SettingsService.over(try open(path))
                service.set(setting, to: later)
                try service.bringUpToDate()
                #expect(try Program.pythonView(of: path)["date"] == "datetime.datetime(2023, 11, 14, 22, 14, 20)")
                // Twice: what was written once is not forgotten to be a date.
                service.set(setting, to: Self.date)
                try service.bringUpToDate()
                #expect(try Program.pythonView(of: path)["date"] == "datetime.datetime(2023, 11, 14, 22, 13, 20)")
                // A fraction of a second has no place in a date; nothing is rounded.
                service.set(setting, to: later.addingTimeInterval(0.25))
                try service.bringUpToDate()
            }
            let (service, _) = SettingsService.over(try open(path))
            #expect(try service.load(setting) == later.addingTimeInterval(0.25))
        }
    }

    @Test("What took the place of a date is no date, although it is a number")
    func noDateAnyMore() throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><date>2023-11-14T22:13:20Z</date>"), to: path)
            let store = try open(path)
            try store.set(key("a"), to: Data(#""text""#.utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .string("text")])
            try store.set(key("a"), to: Data("86400".utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(86_400)])
        }
    }

    @Test("A whole number in the place of a real stays a real; data in the place of data stays data")
    func kindsAreKept() throws {
        try withPropertyList { path in
            try write(xml("<key>r</key><real>0.5</real><key>d</key><data>AAE=</data>"), to: path)
            let store = try open(path)
            try store.set(key("r"), to: Data("2".utf8))
            try store.set(key("d"), to: Data([9, 8]))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["r": .real(2), "d": .data(Data([9, 8]))])
            #expect(try open(path).get(key("r")) == Data("2".utf8))
        }
    }

    @Test("What Foundation writes is read", arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func foundation(format: PropertyListSerialization.PropertyListFormat) throws {
        try withPropertyList { path in
            let root: [String: Any] = [
                "n": 5, "flag": false, "text": "\r\n]]>", "date": Self.date, "list": ["x", 1.5],
            ]
            try write(try PropertyListSerialization.data(fromPropertyList: root, format: format, options: 0), to: path)
            let (service, _) = SettingsService.over(try open(path))
            #expect(try service.load(Setting<Int>("n", in: .defaults, default: 0)) == 5)
            #expect(try !service.load(Setting<Bool>("flag", in: .defaults, default: true)))
            #expect(try service.load(Setting<Date?>("date", in: .defaults)) == Self.date)
            if format == .binary {
                #expect(try service.load(Setting<String>("text", in: .defaults, default: "")) == "\r\n]]>")
            }
        }
    }

    @Test("A file that is only read is not touched")
    func readOnly() throws {
        try withPropertyList { path in
            let before = Data("<plist>\n<dict><key>a</key>  <true/><!-- mine --></dict></plist>\n\n".utf8)
            try write(before, to: path)
            do {
                let (service, _) = SettingsService.over(try open(path))
                #expect(service.get(Setting<Bool>("a", in: .defaults, default: false)))
                #expect(service.get(Setting<Int>("b", in: .defaults, default: 3)) == 3)
                service.set(Setting<Bool>("a", in: .defaults, default: false), to: true)
                try service.bringUpToDate()
            }
            #expect(try bytes(of: path) == before)
        }
    }
}
