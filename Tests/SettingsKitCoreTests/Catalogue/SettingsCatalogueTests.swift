import Foundation
import SettingsTestSupport
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
            if !isSmall { SettingsGroup("None", []) }
            SettingsGroup("One", [.playerPort])
            for title in ["Two", "Three"] {
                SettingsGroup(title) {
                    .playerVolume; .playerMuted
                    if isSmall { .playerUser } else { .playerTheme }
                    [.playerNickname, .playerHosts]
                }
            }
        }
        #expect(built.groups.map(\.title) == ["One", "Two", "Three"])
        #expect(built.settings.map(\.key.name) == ["port", "volume", "muted", "user", "nickname", "server.hosts"])
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
        let store = try LayeredStore([
            .locked(MemoryStore(["port": "1"]), name: "managed"), .environment(prefix: "P_", ["P_VOLUME": "0.8"]),
            .writable(MemoryStore(["volume": "0.2", "port": "2"])),
            .fallback(MemoryStore(["user": "\"sys\""]), name: "system"),
        ])
        let rows = catalogue.rows(in: .over(store))
        #expect(rows[0].source == .layer("environment") && rows[0].isLocked && rows[0].text == "0.8" && rows[0].isSet)
        #expect(rows[2].source == .layer("managed") && rows[2].isLocked)
        #expect(rows[3].source == .layer("system") && !rows[3].isLocked && rows[3].text == "sys" && !rows[3].isSet)
    }

    @Test("A table is aligned, in groups, with problems below their settings")
    func table() throws {
        let store = try LayeredStore([
            .environment(prefix: "PLAYER_", ["PLAYER_VOLUME": "0.8", "PLAYER_PORT": "eighty"]),
            .writable(MemoryStore(["nickname": "\"Ann\""])),
        ])
        let catalogue = SettingsCatalogue(
            "Test", [SettingsGroup("Sound", [.playerVolume]), SettingsGroup("Server", [.playerPort, .playerNickname])])
        #expect(
            catalogue.table(in: .over(store)) == """
                Sound
                  volume    0.8   environment, locked

                Server
                  port      8080  default
                    Problem: invalidValue: The setting rejects this value. Setting: "port" in
                    .defaults. Layer: environment. Store: PLAYER_PORT. Expected: an integer from
                    1 to 65535.
                  nickname  Ann   store

                """)
    }

    @Test("A table escapes control characters, and cuts off long values")
    func hostileTable() {
        let wide = Setting<String>("大きさ", in: .defaults, default: "値👩‍👩‍👧e\u{301}")
        let hostile = Setting<String>("a\u{1B}[31m\n", in: .defaults, default: "\u{1B}]0;x\u{7}\r\n\u{202E}\u{85}")
        let long = Setting<String>("long", in: .defaults, default: String(repeating: "字", count: 1_000))
        let catalogue = SettingsCatalogue("Hostile\n", [SettingsGroup("G\u{1B}", [wide, hostile, long])])
        let table = catalogue.table(in: service())
        let longText = String(repeating: "字", count: 53)
        #expect(
            table == #"""
                G\u{1B}
                  大きさ            値👩‍👩‍👧é                                                     default
                  a\u{1B}[31m\n  \u{1B}]0;x\u{7}\r\n\u{202E}\u{85}                       default
                  long           \#(longText)…  default

                """#)
        for output in [
            table, catalogue.help(), catalogue.markdown(), catalogue.jsonSchema(), catalogue.json(in: service()),
        ] {
            let isClean = output.unicodeScalars.allSatisfy { $0 == "\n" || !$0.disturbsOutput }
            #expect(isClean)
        }
        #expect(fitsInEightyColumns(table))
    }

    @Test("The rows as JSON have values of the settings' types")
    func json() throws {
        let text = catalogue.json(in: service(["server.hosts": "[\"a\"]", "volume": "7"]))
        let rows = try JSONDecoder().decode([[String: JSONTree]].self, from: Data(text.utf8))
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

    // MARK: Problems

    @Test("All problems are found at once, in every layer, with the nearest names")
    func problems() throws {
        let store = try LayeredStore([
            .environment(prefix: "PLAYER_", ["PLAYER_PORT": "99999"]),
            .writable(MemoryStore(["port": "\"x\"", "user": "\"\"", "prot": "1", "zzz": "2"])),
            .fallback(MemoryStore(["volume": "7"]), name: "system"),
        ])
        #expect(catalogue.check(in: .over(MemoryStore(["port": "80", "SettingsKit:migrations": "[]"]))).isEmpty)
        let problems = catalogue.check(in: .over(store))
        let found = problems.map { "\($0.kind) \($0.name ?? "") \($0.error?.layer ?? "-") \($0.otherName ?? "-")" }
        #expect(
            found == [
                "value volume system -", "value port environment -", "value port - -", "value user - -",
                "unknownName prot - port", "unknownName zzz - -",
            ])
        #expect(problems[1].error?.code == .invalidValue && problems[2].error?.code == .decodingFailed)
        #expect(problems[4].description == "prot: There is no setting of this name in .defaults. Did you mean port?")
        #expect(problems[1].description.contains("Expected: an integer from 1 to 65535."))
        #expect(!problems.map(\.description).joined().contains("99999"))
    }

    @Test("A store that cannot be read is one problem")
    func unreadable() {
        let store = TwoFunctionStore(willGet: { _ in throw StoreBroken() })
        let problems = catalogue.check(in: .over(store))
        #expect(problems.map(\.kind) == [.store] && problems.first?.error?.code == .readFailed)
        let missing = SettingsService(stores: [:], diagnosticSink: .none)
        #expect(catalogue.check(in: missing).map(\.error?.code) == [.noStore])
        #expect(catalogue.rows(in: missing).allSatisfy { $0.problem?.code == .noStore && $0.source == .default })
    }

    @Test("Two settings with one spelling as an argument or a variable are a problem")
    func spellings() {
        let one = Setting<Int>("launchCount", in: .defaults, default: 1)
        let two = Setting<Int>("launch.count", in: .defaults, default: 1)
        let negated = Setting<Int>("no-muted", in: .defaults, default: 1)
        let elsewhere = Setting<Int>("launch-count", in: .shared, default: 1)
        let catalogue = SettingsCatalogue("Test", [SettingsGroup("All", [one, two, .playerMuted, negated, elsewhere])])
        let service = SettingsService(
            stores: [.defaults: MemoryStore(), .shared: MemoryStore()], diagnosticSink: .none)
        let problems = catalogue.check(in: service)
        #expect(problems.map(\.kind) == [.definition, .definition])
        #expect(problems.map(\.name) == ["launch.count", "no-muted"])
        #expect(problems.map(\.otherName) == ["launchCount", "muted"])
        #expect(problems[0].description.contains("LAUNCH_COUNT"))
    }

    @Test("Two definitions of one name are a problem if their types differ")
    func definitions() {
        let number = Setting<Int>("twice", in: .defaults, default: 1)
        let text = Setting<String>("twice", in: .defaults, default: "")
        let again = Setting<Int>("twice", in: .defaults, default: 2)
        func kinds(_ settings: [SettingsService.SettingDefinition]) -> [SettingsCatalogue.Problem.Kind] {
            SettingsCatalogue("Test", [SettingsGroup("All", settings)]).check(in: .over(MemoryStore())).map(\.kind)
        }
        #expect(kinds([number, text]) == [.definition])
        #expect(kinds([number, again]).isEmpty && kinds([number, number]).isEmpty)
    }
}
