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
        for line in catalogue.lines(help) { #expect(TextLayout.columns(line) <= 80) }
    }

    @Test("Markdown is a table for each group")
    func markdown() {
        #expect(
            catalogue.markdown()
                == #"""
                # Player

                ## Sound

                | Setting  | Option     | Values             | Default | Description              |
                | -------- | ---------- | ------------------ | ------- | ------------------------ |
                | `volume` | `--volume` | number from 0 to 1 | `0.5`   | How loud the sound is.   |
                | `muted`  | `--muted`  | true or false      | `false` | Whether the sound is off |

                ## Server

                | Setting        | Option           | Values                      | Default | Description               |
                | -------------- | ---------------- | --------------------------- | ------- | ------------------------- |
                | `port`         | `--port`         | integer from 1 to 65535     | `8080`  | The port to listen on.    |
                | `user`         | `--user`         | text, must not be empty     | `www`   |                           |
                | `theme`        | `--theme`        | one of light, dark          | `light` |                           |
                | `nickname`     | `--nickname`     | text                        | `null`  | A name \| for \`people\`. |
                | `apiToken`     | `--api-token`    | text                        | `•••`   | The key of the service.   |
                | `server.hosts` | `--server-hosts` | list with commas or in JSON | `[]`    |                           |

                """#)
        #expect(catalogue.markdown(environmentPrefix: "P_").contains("| `volume` | `--volume` | `P_VOLUME` | number"))
        let hostile = Setting<String>("a|b`", in: .defaults, default: " `` ")
        let markdown = SettingsCatalogue("T*", [SettingsGroup("<b>", [hostile])]).markdown()
        #expect(markdown.contains("| `` a\\|b` `` | `--a-b-` | text   | ```  ``  ``` |"))
        #expect(markdown.contains("# T\\*\n") && markdown.contains("## \\<b\\>\n"))
    }

    @Test("The schema has the types, limits, allowed values and defaults of all settings")
    func schema() throws {
        #expect(
            catalogue.jsonSchema() == #"""
                {
                  "$schema": "https://json-schema.org/draft/2020-12/schema",
                  "title": "Player",
                  "type": "object",
                  "properties": {
                    "volume": {
                      "description": "How loud the sound is. Number from 0 to 1.",
                      "type": "number",
                      "minimum": 0,
                      "maximum": 1,
                      "default": 0.5
                    },
                    "muted": {
                      "description": "Whether the sound is off. True or false.",
                      "type": "boolean",
                      "default": false
                    },
                    "port": {
                      "description": "The port to listen on. Integer from 1 to 65535.",
                      "type": "integer",
                      "minimum": 1,
                      "maximum": 65535,
                      "default": 8080
                    },
                    "user": {
                      "description": "Text, must not be empty.",
                      "type": "string",
                      "minLength": 1,
                      "default": "www"
                    },
                    "theme": {
                      "description": "One of light, dark.",
                      "type": "string",
                      "enum": [
                        "light",
                        "dark"
                      ],
                      "default": "light"
                    },
                    "nickname": {
                      "description": "A name | for `people`. Text.",
                      "type": [
                        "string",
                        "null"
                      ],
                      "default": null
                    },
                    "apiToken": {
                      "description": "The key of the service. Text.",
                      "type": "string",
                      "writeOnly": true
                    },
                    "server.hosts": {
                      "description": "List with commas or in JSON.",
                      "type": "array",
                      "default": []
                    },
                    "server": {
                      "type": "object",
                      "properties": {
                        "hosts": {
                          "$ref": "#/properties/server.hosts"
                        }
                      },
                      "additionalProperties": false
                    },
                    "$schema": {
                      "type": "string"
                    },
                    "$comment": {
                      "type": "string"
                    }
                  },
                  "additionalProperties": false
                }

                """#)
    }

    @Test("The schema of each type is JSON")
    func schemaOfTypes() throws {
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
        let schema = SettingsCatalogue("Types", [SettingsGroup("All", settings)]).jsonSchema()
        let json = try JSONDecoder().decode([String: JSONValue].self, from: Data(schema.utf8))
        guard case .object(let properties) = json["properties"] else { throw StoreBroken() }
        func property(_ name: String, _ member: String) -> JSONValue? {
            guard case .object(let members) = properties[name] else { return nil }
            return members[member]
        }
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
        #expect(TextLayout.wrapped("値値値", to: 5) == ["値値", "値"] && TextLayout.wrapped("", to: 5).isEmpty)
        #expect(TextLayout.truncated("値値値", to: 5) == "値値…" && TextLayout.truncated("abc", to: 3) == "abc")
        #expect(TextLayout.columns("e\u{301}👩‍👩‍👧🇩🇪❤️한ｱ") == 1 + 2 + 2 + 2 + 2 + 1)
    }
}
