import Foundation
import SettingsCommandLine
import SettingsKit
import SettingsTestSupport
import Testing

@Suite("Subcommands that write")
struct WritingCommandsTests {
    @Test("set stores a value by its type, and refuses what the setting does not accept")
    func set() {
        let desk = Desk()
        #expect(desk.run("set", "server.hosts", "a, b") == .init(0) && desk.settings.get(.hosts) == ["a", "b"])
        #expect(desk.run("set", "motto", "null") == .init(0) && !desk.settings.isSet(.motto))
        for (name, text) in [
            ("port", "eighty"), ("port", "0"), ("port", "-5"), ("skin", "blue"), ("server.hosts", "[1]"),
        ] {
            let result = desk.run("set", name, text)
            #expect(result.code == 1 && result.output.isEmpty && result.errors.hasPrefix("\(name): invalidValue:"))
            #expect(result.errors.contains("Expected: ") && !result.errors.contains(text + "\n"))
        }
        #expect(!desk.settings.isSet(.port))
    }

    @Test("A locked setting cannot be changed by any subcommand, and nothing else is either")
    func locked() throws {
        let desk = try Desk(environment: ["DESK_PORT": "9000"])
        let set = desk.run("set", "port", "1")
        #expect(
            set.code == 1 && set.errors.contains("locked")
                && set.errors.replacing("\n", with: " ").contains("Layer: environment."))
        #expect(desk.run("set", "skin", "dark").code == 0)
        #expect(desk.run("reset", "skin", "port").code == 1)
        let imported = desk.run("import", "-", input: #"{"port": 1, "skin": "light", "volume": 0.1}"#)
        #expect(imported.code == 1 && imported.errors.hasPrefix("port: locked:"))
        #expect(
            desk.settings.get(.port) == 9000 && desk.settings.get(.skin) == .dark && desk.settings.get(.volume) == 0.5)
        #expect(desk.run("import", "-", "--dry-run", input: #"{"port": 1}"#).code == 1)
        // The value that it has anyway.
        #expect(desk.run("import", "-", input: #"{"port": 9000, "volume": 0.1}"#).code == 0)
        #expect(desk.settings.get(.volume) == 0.1)
    }

    @Test("A store that cannot be written is a failure with a message")
    func fullStore() {
        let desk = Desk(FullStore())
        let result = desk.run("set", "port", "1")
        #expect(result.code == 1 && result.errors.hasPrefix("port: writeFailed:"))
        let imported = desk.run("import", "-", input: #"{"port": 1}"#)
        #expect(imported.code == 1 && imported.output.isEmpty && imported.errors.contains("writeFailed"))
    }

    @Test("export prints what the store itself holds, and import reads it")
    func exportAndImport() throws {
        let desk = try Desk(environment: ["DESK_VOLUME": "0.8"])
        _ = desk.run("set", "port", "9000")
        _ = desk.run("set", "motto", "\"a\"\n")
        _ = desk.run("set", "server.hosts", "[\"x\",\"y\"]")
        let exported = desk.run("export")
        #expect(
            exported
                == .init(
                    0,
                    #"""
                    {
                      "motto": "\"a\"\n",
                      "port": 9000,
                      "server.hosts": ["x","y"]
                    }

                    """#))
        let other = Desk()
        #expect(
            other.run("import", "-", "--dry-run", input: exported.output)
                == .init(
                    0,
                    #"""
                    motto: null → "a"\n
                    port: 8080 → 9000
                    server.hosts: [] → ["x","y"]

                    """#))
        #expect(try other.store.keys().isEmpty)
        #expect(other.run("import", "-", input: exported.output).code == 0)
        #expect(other.run("export").output == exported.output)
        #expect(other.run("import", "-", input: exported.output) == .init(0, "Nothing changes.\n"))
    }

    @Test("A value that is bad or has no text is not exported, and reported")
    func badExport() throws {
        let gain = Setting<Double>("gain", in: .defaults, default: 1, transformer: PropertyListTransformer())
        let desk = Desk(adding: [gain])
        desk.settings.set(gain, to: .infinity)
        try desk.write("port", "0")
        let result = desk.run("export")
        #expect(result.code == 0 && result.output == "{}\n")
        #expect(result.errors.contains("port: invalidValue:") && result.errors.contains("gain has no text, left out."))
    }

    @Test("import refuses all, with every reason, if one member is wrong")
    func badImport() throws {
        let desk = Desk()
        let result = desk.run(
            "import", "-", input: #"{"prot": 1, "port": "x", "skin": 5, "volume": 0.1, "token": "•••"}"#)
        #expect(result.code == 1 && result.output.isEmpty)
        for name in ["port: invalidValue", "skin: invalidValue", "token: invalidValue", "\"prot\". Did you mean port?"]
        {
            #expect(result.errors.contains(name))
        }
        #expect(try desk.store.keys().isEmpty)
        let large = desk.run("import", "-", input: #"{"port": 1, "volume": 1e999}"#)
        #expect(large.code == 1 && large.errors.hasPrefix("volume: "))
    }

    @Test("delete removes a stored name that no setting has where it is named, as check advises")
    func unknownNames() throws {
        let desk = Desk()
        try desk.write("prot", "1")
        try desk.write("left over", "2")
        #expect(desk.run("set", "port", "1") == .init(0) && desk.run("delete", "--all") == .init(0))
        let check = desk.run("check")
        #expect(check.code == 3 && check.output.contains("delete"), "\(check)")
        #expect(desk.run("delete", "prot", "nothing").code == 2)
        #expect(try desk.store.keys().count == 2)
        #expect(desk.run("delete", "prot", "left over") == .init(0))
        #expect(try desk.store.keys().isEmpty)
        #expect(desk.run("check").code == 0)
    }

    // MARK: Unusual values

    private static let enabled = Setting<Bool>("enabled", in: .defaults, default: false)
    private static let price = Setting<Decimal>("price", in: .defaults, default: 0)
    private static let code = Setting<String>("code", in: .defaults, default: "", processing: { $0.lowercased() })

    @Test("import compares values and not their texts, so that an equal value of a locked setting changes nothing")
    func equalValues() throws {
        let desk = try Desk(
            environment: ["DESK_ENABLED": "yes", "DESK_CODE": "abc", "DESK_PRICE": "1e3"],
            adding: [Self.enabled, Self.code, Self.price])
        for json in [#"{"enabled": "on"}"#, #"{"code": "ABC"}"#, #"{"price": 1000}"#, #"{"price": "1000.0"}"#] {
            #expect(desk.run("import", "-", input: json) == .init(0, "Nothing changes.\n"), "\(json)")
        }
        #expect(desk.run("import", "-", input: #"{"enabled": "off"}"#).code == 1)
    }

    @Test("import replaces bad bytes by the last good value that is in force")
    func importOverBadBytes() throws {
        let desk = Desk()
        desk.settings.set(.port, to: 9000)
        try desk.write("port", "0")
        #expect(desk.run("import", "-", input: #"{"port": 9000}"#).code == 0)
        #expect(try desk.store.get(key("port")) == Data("9000".utf8))
    }

    @Test("A text that looks like nil, and all digits of a number, are exported and imported")
    func exactValues() {
        let label = Setting<String?>("label", in: .defaults, transformer: JSONTransformer())
        let desk = Desk(adding: [label, Self.price])
        let digits = Decimal(string: "12345678901234567890.123456789") ?? 0
        for text in ["null", "\"null\"", "a"] {
            desk.settings.set(label, to: text)
            desk.settings.set(Self.price, to: digits)
            let exported = desk.run("export")
            desk.settings.set(label, to: "other")
            desk.settings.set(Self.price, to: 0)
            #expect(desk.run("import", "-", input: exported.output).code == 0)
            #expect(desk.settings.get(label) == text && desk.settings.get(Self.price) == digits)
        }
    }
}
