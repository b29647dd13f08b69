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
        #expect(desk.run("set", "port", "9000") == .init(0))
        #expect(desk.settings.get(.port) == 9000)
        #expect(desk.run("set", "motto", "--", "--x") == .init(0) && desk.settings.get(.motto) == "--x")
        #expect(desk.run("set", "server.hosts", "[\"a\"]") == .init(0) && desk.settings.get(.hosts) == ["a"])
        #expect(desk.run("set", "server.hosts", "a, b") == .init(0) && desk.settings.get(.hosts) == ["a", "b"])
        #expect(desk.run("set", "motto", "null") == .init(0) && !desk.settings.isSet(.motto))
        for (name, text) in [
            ("port", "eighty"), ("port", "0"), ("port", "-5"), ("skin", "blue"), ("server.hosts", "[1]"),
        ] {
            let result = desk.run("set", name, text)
            #expect(result.code == 1 && result.output.isEmpty && result.errors.hasPrefix("\(name): invalidValue:"))
            #expect(result.errors.contains("Expected: ") && !result.errors.contains(text + "\n"))
        }
        #expect(desk.settings.get(.port) == 9000)
        #expect(desk.run("set", "skin", "blue").errors.contains("Expected: one of light, dark."))
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

    @Test("delete removes the catalogue's settings, and no other stored value unless it is named")
    func delete() throws {
        let desk = Desk()
        for (name, text) in [("port", "1"), ("volume", "0.1"), ("skin", "dark")] { _ = desk.run("set", name, text) }
        try desk.write("other", "1")
        #expect(desk.run("delete", "port", "skin") == .init(0))
        #expect(!desk.settings.isSet(.port) && !desk.settings.isSet(.skin) && desk.settings.isSet(.volume))
        #expect(desk.run("delete", "--all") == .init(0))
        #expect(try desk.store.keys() == ["other"])
    }

    @Test("A store that cannot be written is a failure with a message")
    func fullStore() {
        let desk = Desk(FullStore())
        let result = desk.run("set", "port", "1")
        #expect(result.code == 1 && result.errors.hasPrefix("port: writeFailed:"))
        #expect(desk.run("import", "-", input: #"{"port": 1}"#).code == 1)
    }

    // MARK: Export and import

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

    @Test("A stored value that is bad is not exported, and reported")
    func badExport() throws {
        let desk = Desk()
        try desk.write("port", "0")
        let result = desk.run("export")
        #expect(result.code == 0 && result.output == "{}\n" && result.errors.hasPrefix("port: invalidValue:"))
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
        #expect(desk.run("import", "-", input: "[]").errors.contains("not a JSON object"))
    }

    @Test("delete removes a stored name that no setting has, as check advises")
    func unknownNames() throws {
        let desk = Desk()
        try desk.write("prot", "1")
        try desk.write("left over", "2")
        let check = desk.run("check")
        #expect(check.code == 3 && check.output.contains("delete"), "\(check)")
        #expect(desk.run("delete", "prot", "nothing").code == 2)
        #expect(try desk.store.keys().count == 2)
        #expect(desk.run("delete", "prot", "left over") == .init(0))
        #expect(try desk.store.keys().isEmpty)
        #expect(desk.run("check").code == 0)
    }

    @Test("import and delete of more settings than a store takes at once make several transactions")
    func manySettings() throws {
        let settings = (0..<1_000).map { SettingsService.Setting<Int>("setting-\($0)", in: .defaults, default: 0) }
        let store = BoundedStore()
        let desk = Desk(store, adding: settings)
        let members = (0..<1_000).map { "\"setting-\($0)\": \($0 + 1)" }.joined(separator: ",")
        let imported = desk.run("import", "-", input: "{\(members)}")
        #expect(imported.code == 0 && imported.errors.isEmpty, "\(imported.errors)")
        #expect(imported.output.split(separator: "\n").count == 1_000)
        #expect(store.keys().count == 1_000 && desk.run("get", "setting-7").output == "8\n")
        let removed = desk.run("delete", "--all")
        #expect(removed == .init(0) && store.keys().isEmpty)
    }
}

/// A store that takes few settings at a time, as a cluster does.
private struct BoundedStore: SettingsStore {
    private let memory = MemoryStore()

    var feed: SettingsStoreFeed? { memory.feed }
    func get(_ key: SettingsService.StorageKey) -> Data? { memory.get(key) }
    func set(_ key: SettingsService.StorageKey, to data: Data?) { memory.set(key, to: data) }
    func keys() -> [String] { memory.keys() }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        guard batch.writes.count <= 127 else { throw SettingsError(.tooLarge, store: "BoundedStore") }
        return memory.apply(batch)
    }
}
