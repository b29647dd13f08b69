import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import settings

/// The editors are shell scripts, which receive the path of the file.
@Suite("Editing a store", .ownThreads, .timeLimit(Rounds.timeLimit))
struct ToolEditTests {
    /// Calls a function with the store of a directory that has `volume` and `theme`, and with a function that edits it with an editor.
    /// No file may be left.
    private func withStore(
        _ kind: StoreKind = .file,
        _ body: (_ directory: String, _ store: String, _ edit: (String) throws -> Desk.Result) throws -> Void
    ) throws {
        try withTemporaryDirectory { (directory: String) in
            let store = try ToolBench.ready(kind, in: directory).kind.store(in: directory)
            let temporary = directory + "/temporary"
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
            let made = "settings set \(store) volume 0.5 && settings set \(store) theme dark"
            #expect(try ToolProcess.bash(made, in: directory) == .init(0))
            try body(directory, store) { editor in
                try Data(
                    "#!/bin/sh\nn=$(cat count 2>/dev/null || echo 0); n=$((n + 1)); echo $n > count\n\(editor)\n".utf8
                )
                .write(to: URL(filePath: "\(directory)/editor"))
                return try ToolProcess.bash(
                    "chmod +x editor; unset VISUAL; TMPDIR=\(temporary) EDITOR=./editor settings edit \(store)",
                    in: directory)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
        }
    }

    @Test("Changed, new and missing settings are stored, and printed", arguments: StoreKind.allCases)
    func changes(kind: StoreKind) throws {
        try withStore(kind) { directory, _, edit in
            let result = try edit(
                #"sed -i -e 's/0.5/0.7/' -e '/theme/d' -e 's/^{/{ "new": [1],/' -e 's/0.7,*/0.7/' "$1""#)
            #expect(result == .init(0, "+ new: [1]\n- theme: dark\n~ volume: 0.5 → 0.7\n"))
            #expect(ToolBench(kind, in: directory).run("list").output == "new     array   [1]\nvolume  number  0.7\n")
        }
    }

    @Test("A text that is not changed changes nothing, and only its owner can read the file")
    func unchanged() throws {
        try withStore { directory, _, edit in
            let result = try edit(#"stat -c %a "$1" "$(dirname "$1")" > modes; head -1 "$1" > title; touch "$1~""#)
            #expect(result == .init(0, "Nothing changes.\n"))
            #expect(try String(contentsOfFile: directory + "/modes", encoding: .utf8) == "600\n700\n")
            let title = try String(contentsOfFile: directory + "/title", encoding: .utf8)
            #expect(title == "# The stored values. What you leave out is removed.\n")
        }
    }

    @Test(
        "A text that cannot be stored comes again with the reason on top, and can be corrected",
        arguments: [
            ("s/0.5/oops/", "line 5"), ("s/0.5/\"loud\"/", "\"volume\": the kind of the value is number, not text."),
            ("s/\"volume\"/\"\"/", "no setting can have this name"),
        ])
    func rejected(change: String, reason: String) throws {
        try withStore { directory, _, edit in
            let corrected = try edit(
                """
                case $n in
                1) cp "$1" before; sed -i '\(change)' "$1";;
                2) head -1 "$1" > reason; sed '1,2d' before > "$1"; sed -i s/0.5/0.6/ "$1";;
                esac
                """)
            #expect(corrected.code == 0 && corrected.output == "~ volume: 0.5 → 0.6\n", "\(corrected)")
            let shown = try String(contentsOfFile: directory + "/reason", encoding: .utf8)
            #expect(shown.hasPrefix("# Not stored: ") && shown.contains(reason), "\(shown)")
            try FileManager.default.removeItem(atPath: directory + "/count")
            let givenUp = try edit("[ $n = 1 ] && sed -i 's/0.6/oops/' \"$1\"; true")
            #expect(givenUp.code == 1 && givenUp.output.isEmpty && givenUp.message.contains("Nothing was stored."))
            #expect(ToolBench(in: directory).run("get", "volume").output == "0.6\n")
        }
    }

    @Test(
        "A setting that was changed meanwhile is not overwritten, unless the person saves again",
        arguments: [true, false])
    func meanwhile(savesAgain: Bool) throws {
        try withStore { directory, store, edit in
            let result = try edit(
                """
                case $n in
                1) settings set \(store) volume 0.9; settings set \(store) theme light; sed -i s/0.5/0.7/ "$1";;
                2) head -1 "$1" > reason; \(savesAgain ? "echo >> \"$1\"" : "true");;
                esac
                """)
            let reason = try String(contentsOfFile: directory + "/reason", encoding: .utf8)
            #expect(reason.contains("another program has changed \"volume\" meanwhile"))
            #expect(result.code == (savesAgain ? 0 : 1))
            // What the person has not changed stays as the other program has stored it.
            let values = ToolBench(in: directory).run("list").output
            #expect(values == "theme   text    light\nvolume  number  \(savesAgain ? 0.7 : 0.9)\n")
        }
    }

    @Test(
        "An editor that fails, and a signal, change nothing",
        arguments: ["exit 1", "kill -TERM $PPID; exec sleep 60", "rm \"$1\""])
    func failures(editor: String) throws {
        try withStore { directory, _, edit in
            let result = try edit("sed -i s/0.5/0.7/ \"$1\"\n\(editor)")
            #expect(result.code == 1 && result.message.contains("Nothing was changed."), "\(result)")
            #expect(ToolBench(in: directory).run("get", "volume").output == "0.5\n")
        }
    }
}
