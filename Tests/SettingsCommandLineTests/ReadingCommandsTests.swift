import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine

@Suite("Subcommands that read")
struct ReadingCommandsTests {
    @Test("list shows all settings in groups, or as JSON")
    func list() throws {
        let desk = try Desk(environment: ["DESK_VOLUME": "0.8"])
        desk.settings.set(.port, to: 9000)
        #expect(
            desk.run("list")
                == .init(
                    0,
                    """
                    Looks
                      volume        0.8    environment, locked
                      skin          light  default
                      motto         null   default

                    Server
                      port          9000   store
                      server.hosts  []     default
                      token         •••    default

                    """))
        let rows = try #require(desk.run("list", "--json").json?.array)
        #expect(rows.count == 6 && rows[0].object?["value"] == .number(0.8))
        #expect(rows[0].object?["isLocked"] == .bool(true))
    }

    @Test("get prints the default where nothing is stored, and reports a bad stored value")
    func get() throws {
        let desk = Desk()
        #expect(desk.run("get", "port") == .init(0, "8080\n"))
        try desk.write("port", "\"nine\"")
        let result = desk.run("get", "port")
        #expect(result.code == 0 && result.output == "8080\n" && result.errors.hasPrefix("port: decodingFailed:"))
        #expect(!result.errors.contains("nine"))
    }

    @Test("A wrong name is wrong usage, with a suggestion")
    func wrongNames() {
        let desk = Desk()
        #expect(
            desk.run("get", "prot") == .init(2, errors: "There is no setting \"prot\". Did you mean port?\n"))
        #expect(
            desk.run("explain", "zzz\u{1B}")
                == .init(2, errors: "There is no setting \"zzz\\u{1B}\". desk list shows all.\n"))
        for subcommand in ["set", "reset", "watch"] { #expect(desk.run(subcommand, "PORTS", "1").code == 2) }
    }

    @Test("A layer that locks because it cannot be read is named by every subcommand, with the reason")
    func unreadableLayer() throws {
        struct Broken: SettingsStore {
            func get(_ key: SettingsService.StorageKey) throws -> Data? {
                throw SettingsError(.readFailed, store: "Broken")
            }
            func set(_ key: SettingsService.StorageKey, to data: Data?) {}
        }
        let desk = Desk(try LayeredStore([.locked(Broken(), name: "managed"), .writable(MemoryStore())]))
        let list = desk.run("list").output
        #expect(list.contains("default, locked by managed"))
        #expect(list.components(separatedBy: "Locked, because the layer managed cannot be read").count == 2)
        let explanation = desk.run("explain", "port").output
        #expect(explanation.contains("managed  –     cannot be read, so the setting is locked"))
        #expect(explanation.contains("readFailed: "))
        let lock = try #require(desk.run("explain", "port", "--json").json?.object?["lock"]?.object)
        #expect(lock["layer"] == .string("managed") && lock["problem"] != nil)
        for result in [desk.run("set", "port", "1"), desk.run("import", "-", input: #"{"port": 1}"#)] {
            #expect(result.code == 1 && result.errors.hasPrefix("port: locked:"))
            #expect(result.errors.contains("cannot be read"))
        }
    }

    @Test("explain shows what each layer has, and which one counts")
    func explain() throws {
        let desk = try Desk(environment: ["DESK_PORT": "9000", "DESK_VOLUME": "loud"])
        try desk.settings.save(.volume, to: 0.25)
        #expect(
            desk.run("explain", "port").output == """
                port: 9000

                  environment  9000  DESK_PORT  in force, locked
                  store        –
                  default      8080

                The port to listen on. Integer from 1 to 65535.

                """)
        #expect(
            desk.run("explain", "volume").output == """
                volume: 0.25

                  environment  loud  DESK_VOLUME  not used: expected a number from 0 to 1
                  store        0.25               in force
                  default      0.5

                Number from 0 to 1.

                """)
        let json = try #require(desk.run("explain", "port", "--json").json?.object)
        #expect(json["value"] == .integer(9000) && json["source"] == .string("environment"))
        let layers = try #require(json["layers"]?.array)
        #expect(layers.count == 3 && layers[0].object?["location"] == .string("DESK_PORT"))
    }

    @Test("explain names the last good value that stays in force")
    func lastGood() async throws {
        try await withTemporaryDirectory { (path: String) async throws in
            let file = URL(filePath: path + "/Settings.plist")
            let desk = Desk(try PropertyListStore(url: file))
            try desk.settings.save(.port, to: 9000)
            try desk.settings.bringUpToDate()
            #expect(desk.settings.get(.port) == 9000)
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            let edited = text.replacing("<integer>9000</integer>", with: "<string>bad</string>")
            try Data(edited.utf8).write(to: file)
            try await until { desk.run("check").code == 3 }
            #expect(desk.run("get", "port").output == "9000\n")
            let output = desk.run("explain", "port").output
            #expect(output.contains("the last good value stays: expected an integer from 1 to 65535"))
            #expect(!desk.run("check").output.contains("bad"))
        }
    }

    @Test("check reports all problems, and its exit code says whether there are any")
    func check() throws {
        let desk = Desk()
        #expect(desk.run("check") == .init(0, "No problems.\n"))
        #expect(desk.run("check", "--json") == .init(0, "[]\n"))
        try desk.write("prot", "1")
        try desk.write("volume", "7")
        let result = desk.run("check")
        #expect(result.code == 3 && result.errors.isEmpty)
        #expect(
            result.output == """
                volume: invalidValue: The setting rejects this value. Setting: "volume" in
                  .defaults. Store: MemoryStore. Expected: a number from 0 to 1.
                prot: There is no setting of this name in .defaults. Did you mean port?

                """)
        let problems = try #require(desk.run("check", "--json").json?.array)
        #expect(problems.count == 2 && problems[1].object?["kind"] == .string("unknownName"))
        #expect(problems[1].object?["otherName"] == .string("port"))
    }
}
