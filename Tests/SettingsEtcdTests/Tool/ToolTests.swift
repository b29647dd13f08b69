import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("The tool on a cluster", .timeLimit(.minutes(5)))
    struct ToolTests {
        private static let store = "etcd:test/"

        private func variables(_ fleet: Fleet) -> [String: String] { ["ENDPOINTS": fleet.server.endpoint] }

        /// Runs a subcommand with the cluster's store.
        private func tool(_ words: [String], _ fleet: Fleet) -> SettingsToolRun {
            SettingsToolRun(words.prefix(1) + [Self.store] + words.dropFirst(), variables(fleet))
        }

        @Test("get, set, list, delete, export and import use the cluster's values")
        func values() async throws {
            try await Fleet.with { fleet in
                func run(_ words: String...) -> SettingsToolRun { tool(words, fleet) }
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
                let words = ["watch", "volume", "--count", "1", "--json"]
                let watching = Task.detached { await onThread { result.value = tool(words, fleet) } }
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
                func copy(_ source: String, _ target: String) -> SettingsToolRun {
                    SettingsToolRun(["copy", source, target], variables(fleet))
                }
                let (form, other) = kind == "file" ? ("", "\(first).2") : ("sqlite:", "sqlite:\(first).2")
                #expect(copy("\(first).plist", other).code == 0)
                let there = copy(other, Self.store)
                #expect(there.code == 0 && there.output == "10000 settings, 10000 changed.\n", "\(there)")
                let back = copy(Self.store, form + last)
                #expect(back.code == 0 && back.output == "10000 settings, 10000 changed.\n", "\(back)")
                let again = copy("\(first).plist", form + last)
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
                func run(_ words: String...) -> SettingsToolRun { SettingsToolRun(words, variables(fleet)) }
                #expect(run("set", Self.store, "volume", "0.5").code == 0)
                for store in ["\(directory)/a.plist", "sqlite:\(directory)/a.sqlite"] {
                    #expect(run("set", store, "a", "1").code == 0)
                    #expect(run("copy", "--replace", "etcd:nothing/", store).code == 1)
                    #expect(run("get", store, "a").output == "1\n")
                    #expect(run("delete", store, "a").code == 0)
                    #expect(run("copy", "--replace", store, Self.store).code == 1)
                }
                for (name, text) in [
                    ("a.json", "{}"), ("a.env", ""), ("b.plist", "<plist><dict/></plist>"),
                ] {
                    try Data(text.utf8).write(to: URL(filePath: "\(directory)/\(name)"))
                    let run = run("import", Self.store, "\(directory)/\(name)", "--replace")
                    #expect(run.code == 1, "\(name): \(run)")
                }
                #expect(try fleet.server.control("get", "test/volume", "--print-value-only") == "0.5\n")
            }
        }

        @Test("More settings than a transaction of the cluster takes are imported and removed in several")
        func manySettings() async throws {
            try await Fleet.with { fleet in
                func run(_ words: String...) -> SettingsToolRun { tool(words, fleet) }
                let file = "\(fleet.directory)/many.json"
                let members = (0..<1_000).map { "\"setting \($0)\": \($0)" }.joined(separator: ",")
                try Data("{\(members)}".utf8).write(to: URL(filePath: file))
                let imported = run("import", file)
                #expect(imported.code == 0 && imported.output.split(separator: "\n").count == 1_000, "\(imported)")
                #expect(run("get", "setting 999").output == "999\n")
                #expect(run("import", file).output == "Nothing changes.\n")
                let names = (0..<500).map { "setting \($0)" }
                let removed = tool(["delete"] + names, fleet)
                #expect(removed.code == 0, "\(removed)")
                let rest = try fleet.store { $0.openingPatience = .seconds(60) }
                #expect(rest.keys().count == 500)
                #expect(run("delete", "--all").code == 0 && run("list").output.isEmpty)
            }
        }

        @Test("Variables that do not fit together are refused, and no password is shown")
        func variablesOfCluster() {
            for (variables, word) in [
                (["USER": "ann"], "ETCDCTL_PASSWORD"), (["CERT": "a"], "ETCDCTL_KEY"), (["KEY": "a"], "ETCDCTL_CERT"),
            ] {
                let run = SettingsToolRun(["list", "etcd:a/"], variables)
                #expect(run.code == 2 && run.errors.contains(word), "\(run)")
            }
            for variables in [["USER": "ann:secret"], ["USER": "ann", "PASSWORD": "secret"], [:]] {
                let run = SettingsToolRun(["list", "etcd:a/"], variables.merging(["ENDPOINTS": "127.0.0.1:1"]) { $1 })
                #expect(
                    run.code == 1 && run.errors.contains("clusterUnreachable") && !run.errors.contains("secret"),
                    "\(run)")
            }
        }
    }
}
