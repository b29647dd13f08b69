import Foundation
import Testing

@testable import SettingsKitCore

@Suite("A catalogue of settings")
struct SettingsCatalogueTests {
    private let catalogue = SettingsCatalogue.player

    private func service(_ contents: [String: String] = [:]) -> SettingsService {
        .over(TwoFunctionStore(contents.mapValues { Data($0.utf8) }))
    }

    @Test("Groups are lists of settings of any types, in braces on one line, or arrays")
    func builders() {
        let isSmall = true
        let built = SettingsCatalogue("Test") {
            SettingsGroup("One") {
                .playerVolume; .playerMuted
            }
            SettingsGroup("Two", [.playerPort])
            if !isSmall { SettingsGroup("None", []) }
            for title in ["Three", "Four"] {
                SettingsGroup(title) {
                    if isSmall { .playerUser } else { .playerTheme }
                    [.playerNickname, .playerHosts]
                }
            }
        }
        #expect(built.groups.map(\.title) == ["One", "Two", "Three", "Four"])
        #expect(built.settings.map(\.key.name) == ["volume", "muted", "port", "user", "nickname", "server.hosts"])
        #expect(SettingsCatalogue("Array", [SettingsGroup("One", [.playerPort])]).settings.count == 1)
    }

    @Test("A setting is found by its name, and a similar name is suggested for a wrong one")
    func names() {
        #expect(catalogue.setting(named: "port") === SettingsService.SettingDefinition.playerPort)
        #expect(catalogue.setting(named: "Port") == nil && catalogue.setting(named: "") == nil)
        #expect(catalogue.name(similarTo: "prot") == "port")
        #expect(catalogue.name(similarTo: "VOLUM") == "volume")
        #expect(catalogue.name(similarTo: "API_TOKEN") == "apiToken")
        #expect(catalogue.name(similarTo: "serverhost") == "server.hosts")
        #expect(catalogue.name(similarTo: "completely") == nil && catalogue.name(similarTo: "x") == nil)
        #expect(catalogue.name(similarTo: String(repeating: "port", count: 100_000)) == nil)
    }

    @Test("Settings of one name in several scopes have the scope in their names")
    func namesInScopes() {
        let one = Setting<Int>("size", in: .defaults, default: 1)
        let shared = Setting<Int>("size", in: .shared, default: 2)
        let vault = Setting<Int>("size", in: .custom(id: "vault"), default: 3)
        let catalogue = SettingsCatalogue("Scopes", [SettingsGroup("All", [one, shared, vault, .playerPort])])
        #expect(catalogue.settings.map(catalogue.name) == ["size", "size@shared", "size@vault", "port"])
        #expect(catalogue.setting(named: "size@shared") === shared && catalogue.setting(named: "size") === one)
        let alone = SettingsCatalogue("Alone", [SettingsGroup("All", [shared])])
        #expect(alone.name(of: shared) == "size" && alone.setting(named: "size") === shared)
    }

    @Test("A row has all that is known of a setting in a service")
    func rows() throws {
        let rows = catalogue.rows(in: service(["port": "9000", "volume": "\"loud\"", "apiToken": "\"hush\""]))
        #expect(
            rows.map(\.name) == ["volume", "muted", "port", "user", "theme", "nickname", "apiToken", "server.hosts"])
        let port = try #require(rows.first { $0.name == "port" })
        #expect(port.group == "Server" && port.text == "9000" && port.defaultText == "8080" && port.source == .store)
        #expect(port.type == "integer from 1 to 65535" && !port.isLocked && port.isSet && port.problem == nil)
        #expect(port.help == "The port to listen on." && port.key == key("port"))
        let volume = try #require(rows.first)
        #expect(volume.text == "0.5" && volume.source == .default && volume.isSet)
        #expect(volume.problem?.code == .decodingFailed && volume.problem?.expected == "a number from 0 to 1")
        let token = try #require(rows.first { $0.name == "apiToken" })
        #expect(token.text == "•••" && token.defaultText == "•••" && token.isSecret)
        #expect(
            rows.map(\.type) == [
                "number from 0 to 1", "true or false", "integer from 1 to 65535", "text, must not be empty",
                "one of light, dark", "text", "text", "list with commas or in JSON",
            ])
        #expect(rows.map(\.text)[3...] == ["www", "light", "null", "•••", "[]"])
    }

    @Test("Rows name the layer and say whether it locks")
    func layeredRows() throws {
        let store = SampleLayers([
            ("managed", ["port": "1"]), ("environment", ["volume": "0.8"]), (nil, ["volume": "0.2", "port": "2"]),
            ("system", ["user": "\"sys\""]),
        ])
        let rows = catalogue.rows(in: .over(store))
        #expect(rows[0].source == .layer("environment") && rows[0].isLocked && rows[0].text == "0.8" && rows[0].isSet)
        #expect(rows[2].source == .layer("managed") && rows[2].isLocked)
        #expect(rows[3].source == .layer("system") && !rows[3].isLocked && rows[3].text == "sys" && !rows[3].isSet)
    }

    @Test("A table is aligned, in groups, with problems below their settings")
    func table() {
        let store = SampleLayers([
            ("environment", ["volume": "0.8", "port": "eighty"]), (nil, ["nickname": "\"Ann\""]),
        ])
        #expect(
            catalogue.table(in: .over(store)) == """
                Sound
                  volume        0.8    environment, locked
                  muted         false  default

                Server
                  port          8080   default
                    Problem: invalidValue: The setting rejects this value. Setting: "port" in
                    .defaults. Layer: environment. Store: PLAYER_PORT. Expected: an integer from
                    1 to 65535.
                  user          www    default
                  theme         light  default
                  nickname      Ann    store
                  apiToken      •••    default
                  server.hosts  []     default

                """)
    }

    @Test("A table escapes control characters, counts wide characters twice, and cuts off long values")
    func hostileTable() {
        let wide = Setting<String>("大きさ", in: .defaults, default: "値👩‍👩‍👧e\u{301}")
        let hostile = Setting<String>("a\u{1B}[31m\n", in: .defaults, default: "\u{1B}]0;x\u{7}\r\n\u{202E}\u{85}")
        let long = Setting<String>("long", in: .defaults, default: String(repeating: "字", count: 1_000))
        let catalogue = SettingsCatalogue("Hostile\n", [SettingsGroup("G\u{1B}", [wide, hostile, long])])
        let table = catalogue.table(in: service())
        let longText = String(repeating: "字", count: 26)
        #expect(
            table == #"""
                G\u{1B}
                  大きさ         値👩‍👩‍👧é                                                  default
                  a\u{1B}[31m\n  \u{1B}]0;x\u{7}\r\n\u{202E}\u{85}                      default
                  long           \#(longText)…  default

                """#)
        for output in [
            table, catalogue.help(), catalogue.markdown(), catalogue.jsonSchema(), catalogue.json(in: service()),
        ] {
            let isClean = output.unicodeScalars.allSatisfy { $0 == "\n" || !$0.disturbsOutput }
            #expect(isClean)
        }
        for line in catalogue.lines(table) { #expect(TextLayout.columns(line) <= 80) }
    }

    @Test("The rows as JSON have values of the settings' types")
    func json() throws {
        let text = catalogue.json(in: service(["server.hosts": "[\"a\"]", "volume": "7"]))
        let rows = try JSONDecoder().decode([[String: JSONValue]].self, from: Data(text.utf8))
        #expect(rows[0]["value"] == .number(0.5) && rows[0]["type"] == .string("number from 0 to 1"))
        #expect(rows[0]["problem"] != nil && rows[1]["problem"] == nil && rows[1]["value"] == .bool(false))
        #expect(rows[2]["value"] == .integer(8080) && rows[2]["default"] == .integer(8080))
        #expect(rows[3]["value"] == .string("www") && rows[5]["value"] == .null)
        #expect(rows[6]["value"] == .string("•••") && rows[6]["default"] == .string("•••"))
        #expect(rows[7]["value"] == .array([.string("a")]) && rows[7]["source"] == .string("store"))
        #expect(text.hasPrefix("[\n  {\n    \"name\": \"volume\",\n    \"group\": \"Sound\",\n"))
    }

    @Test("A catalogue stores nothing and calls no listener")
    func readsOnly() {
        let once = Setting<UUID>("id", in: .defaults, default: .once { UUID() })
        let store = TwoFunctionStore(["port": Data("oops".utf8)])
        let problems = Recorder<SettingsError>()
        let service = SettingsService.over(store, problems)
        let catalogue = SettingsCatalogue("Test", [SettingsGroup("All", [once, .playerPort, .playerUser])])
        _ = catalogue.rows(in: service)
        _ = catalogue.check(in: service)
        _ = catalogue.table(in: service) + catalogue.json(in: service) + catalogue.help() + catalogue.jsonSchema()
        #expect(store.setCount == 0 && store.contents.count == 1)
        #expect(problems.all.isEmpty)
    }
}
