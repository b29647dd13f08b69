import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine

@Suite("Editing the settings of a program", .ownThreads)
struct EditingTests {
    private static let hidden = JSONText.string("<hidden>")

    @Test("The stored values are shown, and a secret appears as <hidden>")
    func shown() throws {
        let desk = Desk()
        try desk.settings.save(.port, to: 9_000)
        try desk.settings.save(.token, to: Desk.secret)
        try desk.write("skin", "\"purple\"")
        let shown = try CatalogueSettings(command: desk.command).edited().shown
        #expect(shown.map(\.name) == ["port", "token"])
        #expect(shown.map(\.value.compact) == ["9000", Self.hidden.compact])
    }

    @Test("An edited value is checked as set checks it, and a locked setting cannot be edited")
    func rejected() throws {
        let settings = CatalogueSettings(command: try Desk(environment: ["DESK_VOLUME": "1"]).command)
        let texts = [
            ("port", "70000"), ("skin", "\"purple\""), ("token", Self.hidden.compact), ("prot", "1"), ("volume", "0"),
            ("volume", nil),
        ]
        for (name, text) in texts {
            let json = text.map { Data($0.utf8) }
            let failure = #expect(throws: CommandFailure.self) { try settings.changes([(name, json)]) }
            #expect(failure?.message.contains(name) == true && failure?.message.contains("70000") == false)
        }
    }

    @Test("Edited values are stored together, unless one was changed meanwhile, a secret too")
    func stored() throws {
        let desk = Desk()
        try desk.settings.save(.port, to: 9_000)
        try desk.settings.save(.token, to: Desk.secret)
        let settings = CatalogueSettings(command: desk.command)
        let known = try settings.edited().known
        let changes = try settings.changes([
            ("port", nil), ("token", Data("\"new\"".utf8)), ("motto", Data("\"m\"".utf8)),
        ])
        try desk.settings.save(.token, to: "changed meanwhile")
        #expect(try !settings.store(changes, over: known))
        #expect(desk.settings.get(.port) == 9_000 && desk.settings.get(.motto) == nil)
        #expect(try settings.store(changes, over: settings.edited().known))
        #expect(
            desk.settings.get(.port) == 8_080 && desk.settings.get(.motto) == "m" && desk.settings.get(.token) == "new")
    }

    @Test("A program opens the editor, again after a value that a setting rejects")
    func program() throws {
        try withTemporaryDirectory { directory in
            let result = try ToolProcess.bash(
                """
                export HOME=$PWD XDG_CONFIG_HOME=$PWD/config EDITOR=./editor
                cat > editor <<'END'
                #!/bin/sh
                if grep -q 'Not stored' "$1"; then sed -i s/7/0.3/ "$1"; else sed -i s/0.8/7/ "$1"; fi
                END
                chmod +x editor; unset VISUAL
                Player settings set volume 0.8 && Player settings edit && Player settings get volume
                """, in: directory)
            #expect(result == .init(0, "volume: 0.8 → 0.3\n0.3\n"), "\(result)")
        }
    }
}
