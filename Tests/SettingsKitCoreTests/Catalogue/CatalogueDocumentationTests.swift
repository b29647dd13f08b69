import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Documentation from a catalogue")
struct CatalogueDocumentationTests {
    private let catalogue = SettingsCatalogue.player

    @Test(
        "Help has the usage, the settings as options with their values and defaults, and other options, in 80 columns")
    func help() {
        let help = catalogue.help(
            of: "player", environmentPrefix: "PLAYER_", positionals: "FILE...", flags: ["version": "Print the version."]
        )
        #expect(
            help == """
                usage: player [OPTIONS] FILE...

                Sound:
                  --volume <number>      How loud the sound is. Number from 0 to 1. Default:
                                         0.5. Environment: PLAYER_VOLUME.
                  --muted, --no-muted    Whether the sound is off. Default: false. Environment:
                                         PLAYER_MUTED.

                Server:
                  --port <integer>       The port to listen on. Integer from 1 to 65535.
                                         Default: 8080. Environment: PLAYER_PORT.
                  --user <text>          Text, must not be empty. Default: www. Environment:
                                         PLAYER_USER.
                  --theme <value>        One of light, dark. Default: light. Environment:
                                         PLAYER_THEME.
                  --nickname <text>      A name | for `people`. Text. Default: none.
                                         Environment: PLAYER_NICKNAME.
                  --api-token <text>     The key of the service. Text. Default: •••.
                                         Environment: PLAYER_API_TOKEN.
                  --server-hosts <list>  List with commas or in JSON. Default: []. Environment:
                                         PLAYER_SERVER_HOSTS.

                Other options:
                  --version              Print the version.
                  --help                 Show this help.

                """)
        #expect(catalogue.help().hasPrefix("usage: \(catalogue.programName) [OPTIONS]\n\nSound:"))
        #expect(!catalogue.help().contains("Environment"))
        #expect(fitsInEightyColumns(help))
    }

    @Test("Markdown is a table for each group, in which the marks of Markdown have no effect")
    func markdown() {
        let hostile = Setting<String>("a|b`", in: .defaults, default: " `` ")
        let catalogue = SettingsCatalogue(
            "T*",
            [
                SettingsGroup("Sound", [.playerVolume, .playerMuted]),
                SettingsGroup("<b>", [hostile, .playerNickname, .playerToken]),
            ])
        #expect(
            catalogue.markdown()
                == #"""
                # T\*

                ## Sound

                | Setting  | Option     | Values             | Default | Description              |
                | -------- | ---------- | ------------------ | ------- | ------------------------ |
                | `volume` | `--volume` | number from 0 to 1 | `0.5`   | How loud the sound is.   |
                | `muted`  | `--muted`  | true or false      | `false` | Whether the sound is off |

                ## \<b\>

                | Setting     | Option        | Values | Default      | Description               |
                | ----------- | ------------- | ------ | ------------ | ------------------------- |
                | `` a\|b` `` | `--a-b-`      | text   | ```  ``  ``` |                           |
                | `nickname`  | `--nickname`  | text   | `null`       | A name \| for \`people\`. |
                | `apiToken`  | `--api-token` | text   | `•••`        | The key of the service.   |

                """#)
        #expect(catalogue.markdown(environmentPrefix: "P_").contains("| `volume` | `--volume` | `P_VOLUME` | number"))
    }

    @Test("The schema has the types, limits, allowed values, descriptions and defaults of all settings")
    func schema() throws {
        let settings: [SettingsService.SettingDefinition] = [
            Setting<UInt8>("byte", in: .defaults, default: 1), Setting<Date?>("date", in: .defaults),
            Setting<Data>("data", in: .defaults, default: Data([1])), Setting<URL?>("url", in: .defaults),
            Setting<UUID>("computed", in: .defaults, default: .computed { UUID() }),
            Setting<Int?>("choice", in: .defaults, validation: .oneOf([1, 2])),
            Setting<[Int]>("list", in: .defaults, default: [1], validation: .notEmpty),
            Setting<Double>("below", in: .defaults, default: 0, validation: .range(0..<1)),
            Setting<[String: Int]>("map", in: .defaults, default: ["a\u{85}": 1]),
            Setting<Double>("endless", in: .defaults, default: 0, validation: .range(0...Double.infinity)),
            Setting<[CatalogueTheme]>("themes", in: .defaults, default: [], validation: .oneOf([[], [.dark]])),
            Setting<[String: Int]>("maps", in: .defaults, default: [:], validation: .oneOf([[:], ["a": 1]])),
            Setting<Double>("odd", in: .defaults, default: 0, validation: .oneOf([0, .infinity])),
            Setting<Int>("stored", in: .defaults, default: 1, transformer: JSONTransformer()),
        ]
        let groups = [SettingsGroup("All", settings)] + catalogue.groups
        let schema = SettingsCatalogue("Types", groups).jsonSchema()
        let json = try JSONDecoder().decode([String: JSONTree].self, from: Data(schema.utf8))
        #expect(json["title"] == .string("Types") && json["additionalProperties"] == .bool(false))
        guard case .object(let properties) = json["properties"] else { throw StoreBroken() }
        func property(_ name: String, _ member: String) -> JSONTree? {
            guard case .object(let members) = properties[name] else { return nil }
            return members[member]
        }
        #expect(property("volume", "description") == .string("How loud the sound is. Number from 0 to 1."))
        #expect(property("volume", "type") == .string("number") && property("volume", "maximum") == .integer(1))
        #expect(property("user", "minLength") == .integer(1) && property("theme", "default") == .string("light"))
        #expect(property("theme", "enum") == .array([.string("light"), .string("dark")]))
        #expect(property("nickname", "type") == .array([.string("string"), .string("null")]))
        #expect(property("apiToken", "writeOnly") == .bool(true) && !schema.contains("s3cret"))
        // Names with dots may be nested.
        let hosts = JSONTree.object(["hosts": .object(["$ref": .string("#/properties/server.hosts")])])
        #expect(property("server", "properties") == hosts && property("server", "additionalProperties") == .bool(false))
        #expect(property("byte", "minimum") == .integer(0) && property("byte", "maximum") == .integer(255))
        #expect(property("date", "format") == .string("date-time") && property("date", "default") == .null)
        #expect(
            property("data", "contentEncoding") == .string("base64") && property("data", "default") == .string("AQ=="))
        #expect(property("url", "format") == .string("uri-reference") && property("computed", "default") == nil)
        #expect(property("choice", "enum") == .array([.integer(1), .integer(2), .null]))
        #expect(property("list", "minItems") == .integer(1) && property("list", "default") == .array([.integer(1)]))
        #expect(property("below", "exclusiveMaximum") == .integer(1) && property("below", "maximum") == nil)
        #expect(property("endless", "minimum") == .integer(0) && property("endless", "maximum") == nil)
        #expect(property("themes", "enum") == .array([.array([]), .array([.string("dark")])]))
        #expect(property("maps", "enum") == .array([.object([:]), .object(["a": .integer(1)])]))
        #expect(property("odd", "enum") == nil)
        #expect(property("map", "default") == .object(["a\u{85}": .integer(1)]) && property("stored", "type") == nil)
    }

    @Test("Text is wrapped at spaces, and within words that are too long")
    func wrapping() {
        #expect(TextLayout.wrapped("one two  three", to: 7) == ["one two", "three"])
        #expect(TextLayout.wrapped("abcdefghij kl", to: 4) == ["abcd", "efgh", "ij", "kl"])
        #expect(TextLayout.wrapped("", to: 5).isEmpty && TextLayout.wrapped("a b", to: 1) == ["a", "b"])
        #expect(TextLayout.truncated("abcd", to: 3) == "ab…" && TextLayout.truncated("abc", to: 3) == "abc")
    }
}
