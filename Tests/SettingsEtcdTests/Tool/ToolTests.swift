import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("The tool on a cluster", .timeLimit(.minutes(5)))
    struct ToolTests {
        private func arguments(_ fleet: Fleet, prefix: String = "") -> [String] {
            ["--\(prefix)etcd", fleet.server.endpoint, "--\(prefix)prefix", "test/"]
        }

        @Test("get, set, list, delete, export and import use the cluster's values")
        func values() async throws {
            try await Fleet.with { fleet in
                func run(_ words: String...) -> SettingsToolRun { SettingsToolRun(words + arguments(fleet)) }
                #expect(run("set", "volume", "0.5").code == 0)
                #expect(try fleet.server.control("get", "test/volume", "--print-value-only") == "0.5\n")
                try fleet.server.control("put", "test/name", "\"Anna\"")
                #expect(run("get", "name").output == "Anna\n")
                let list = run("list")
                #expect(list.code == 0 && list.output.contains("volume") && list.output.contains("name"))
                let file = "\(fleet.directory)/export.json"
                #expect(run("export", file).code == 0)
                #expect(run("delete", "volume").code == 0 && run("get", "volume").code != 0)
                #expect(run("import", file).code == 0 && run("get", "volume").output == "0.5\n")
                #expect(run("delete", "--all").code == 0)
                #expect(try fleet.server.control("get", "--prefix", "test/") == "")
                fleet.server.kill(0)
                let lost = run("get", "volume")
                #expect(lost.code != 0 && lost.errors.contains("cluster"), "\(lost)")
            }
        }

        @Test("watch prints a change that etcd's own client makes")
        func watch() async throws {
            try await Fleet.with { fleet in
                let result = Box<SettingsToolRun?>(nil)
                let words = ["watch", "volume", "--count", "1", "--json"] + arguments(fleet)
                let watching = Task.detached { await onThread { result.value = SettingsToolRun(words) } }
                var number = 0
                // The first changes may be made before it watches.
                try #require(
                    try await eventually {
                        number += 1
                        try fleet.server.control("put", "test/volume", "\(number)")
                        return result.value != nil
                    })
                await watching.value
                let line = try #require(result.value)
                #expect(line.code == 0 && line.output.contains("\"name\":\"volume\""), "\(line)")
                #expect(line.output.contains("\"origin\":\"external\""))
            }
        }

        @Test(
            "Ten thousand settings are equal after they were copied to a cluster and back",
            arguments: ["file", "sqlite"])
        func thereAndBack(kind: String) async throws {
            try await Fleet.with { fleet in
                let (first, last) = ("\(fleet.directory)/first", "\(fleet.directory)/last")
                let values = ["1", "\"text\"", "[1,2,{\"a\":null}]", "no JSON", "\"\u{1F600}\"", "\u{0}\u{1}"]
                let settings = (0..<10_000).map { number in
                    SettingsStoreBatch.Entry(
                        key: .init("setting \(number)", scope: .defaults),
                        data: Data((values[number % 6] + (number % 7 == 0 ? "" : " ")).utf8))
                }
                let store = try PropertyListStore(path: "\(first).plist")
                _ = try store.apply(SettingsStoreBatch(writes: settings))
                try store.synchronize()
                func run(_ words: [String]) -> SettingsToolRun { SettingsToolRun(["copy"] + words) }
                #expect(run(["--file", "\(first).plist", "--to-\(kind)", "\(first).\(kind)2"]).code == 0)
                let there = run(["--\(kind)", "\(first).\(kind)2"] + arguments(fleet, prefix: "to-"))
                #expect(there.code == 0 && there.output == "10000 settings, 10000 changed.\n", "\(there)")
                let back = run(arguments(fleet) + ["--to-\(kind)", last])
                #expect(back.code == 0 && back.output == "10000 settings, 10000 changed.\n", "\(back)")
                let again = run(["--file", "\(first).plist", "--to-\(kind)", last])
                #expect(again.code == 0 && again.output == "10000 settings, 0 changed.\n", "\(again)")
                // Reading all of them can take longer than opening waits.
                let reader = try fleet.store { $0.openingPatience = .seconds(60) }
                #expect(reader.keys().count == 10_000)
            }
        }

        @Test("A source without settings empties no cluster, and a prefix without settings empties no store")
        func emptySources() async throws {
            try await Fleet.with { fleet in
                let directory = fleet.directory
                let empty = ["--etcd", fleet.server.endpoint, "--prefix", "nothing/"]
                #expect(SettingsToolRun(["set", "volume", "0.5"] + arguments(fleet)).code == 0)
                let stores = [["file", "\(directory)/a.plist"], ["sqlite", "\(directory)/a.sqlite"]]
                for store in stores {
                    let options = ["--\(store[0])", store[1]]
                    let target = ["--to-\(store[0])", store[1]]
                    #expect(SettingsToolRun(["set", "a", "1"] + options).code == 0)
                    #expect(SettingsToolRun(["copy", "--replace"] + empty + target).code == 1)
                    #expect(SettingsToolRun(["get", "a"] + options).output == "1\n")
                    #expect(SettingsToolRun(["delete", "a"] + options).code == 0)
                    #expect(
                        SettingsToolRun(["copy", "--replace"] + options + arguments(fleet, prefix: "to-")).code == 1)
                }
                for (name, text) in [
                    ("a.json", "{}"), ("a.env", ""), ("b.plist", "<plist><dict/></plist>"),
                ] {
                    try Data(text.utf8).write(to: URL(filePath: "\(directory)/\(name)"))
                    let run = SettingsToolRun(["import", "\(directory)/\(name)", "--replace"] + arguments(fleet))
                    #expect(run.code == 1, "\(name): \(run)")
                }
                #expect(try fleet.server.control("get", "test/volume", "--print-value-only") == "0.5\n")
            }
        }

        @Test("More settings than a transaction of the cluster takes are imported and removed in several")
        func manySettings() async throws {
            try await Fleet.with { fleet in
                func run(_ words: String...) -> SettingsToolRun { SettingsToolRun(words + arguments(fleet)) }
                let file = "\(fleet.directory)/many.json"
                let members = (0..<1_000).map { "\"setting \($0)\": \($0)" }.joined(separator: ",")
                try Data("{\(members)}".utf8).write(to: URL(filePath: file))
                let imported = run("import", file)
                #expect(imported.code == 0 && imported.output.split(separator: "\n").count == 1_000, "\(imported)")
                #expect(run("get", "setting 999").output == "999\n")
                #expect(run("import", file).output == "Nothing changes.\n")
                let names = (0..<500).map { "setting \($0)" }
                let removed = SettingsToolRun(["delete"] + names + arguments(fleet))
                #expect(removed.code == 0, "\(removed)")
                let rest = try fleet.store { $0.openingPatience = .seconds(60) }
                #expect(rest.keys().count == 500)
                #expect(run("delete", "--all").code == 0 && run("list").output.isEmpty)
            }
        }

        @Test("A password in the arguments is refused without being shown, and so are options that do not fit together")
        func options() {
            let cluster = ["list", "--etcd", "http://127.0.0.1:1", "--prefix", "a/"]
            for (options, word) in [
                (["--user", "ann:secret"], "--password-file"), (["--cert", "a"], "--key"), (["--key", "a"], "--cert"),
                (["--password-file", "a"], "--user"),
            ] {
                let run = SettingsToolRun(cluster + options)
                #expect(run.code != 0 && run.errors.contains(word) && !run.errors.contains("secret"), "\(run)")
            }
            let elsewhere = SettingsToolRun(["list", "--file", "/tmp/none", "--cacert", "a"])
            #expect(elsewhere.code != 0 && elsewhere.errors.contains("--etcd"))
        }
    }
}
