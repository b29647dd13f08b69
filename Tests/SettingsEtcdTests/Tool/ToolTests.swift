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
                #expect(run("list").output == "name    text    Anna\nvolume  number  0.5\n")
                let file = "\(fleet.directory)/export.json"
                #expect(run("export", file).code == 0)
                #expect(run("delete", "volume").code == 0 && run("get", "volume").code != 0)
                #expect(run("import", file).code == 0 && run("get", "volume").output == "0.5\n")
                // A prefix without settings empties no store.
                let (empty, target) = ("etcd:nothing/", "\(fleet.directory)/a.plist")
                #expect(SettingsToolRun(["set", target, "a", "1"]).code == 0)
                #expect(SettingsToolRun(["copy", "--replace", empty, target], variables(fleet)).code == 1)
                #expect(SettingsToolRun(["copy", "--replace", target, empty], variables(fleet)).code == 0)
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
                let watching = onThread { result.value = tool(words, fleet) }
                var number = 0
                // The first changes may be made before it watches.
                try #require(
                    try await eventually {
                        number += 1
                        try fleet.server.control("put", "test/volume", "\(number)")
                        return result.value != nil
                    })
                try await until { watching.count == 1 }
                let line = try #require(result.value)
                #expect(line.code == 0 && line.output.contains("\"name\":\"volume\""), "\(line)")
                #expect(line.output.contains("\"origin\":\"external\""))
            }
        }

        @Test("Two thousand settings are equal after they were copied to a cluster and back, and all are removed")
        func thereAndBack() async throws {
            try await Fleet.with { fleet in
                let (first, last) = ("\(fleet.directory)/first.plist", "sqlite:\(fleet.directory)/last")
                let values = ["1", "\"text\"", "[1,2,{\"a\":null}]", "no JSON", "\"\u{1F600}\"", "\u{0}\u{1}"]
                let settings = (0..<2_000).map { number in
                    SettingsStoreBatch.Entry(
                        key: .init("setting \(number)", scope: .defaults),
                        data: Data((values[number % 6] + (number % 7 == 0 ? "" : " ")).utf8))
                }
                let store = try PropertyListStore(path: first)
                _ = try store.apply(SettingsStoreBatch(writes: settings))
                try store.synchronize()
                for (source, target, count) in [
                    (first, Self.store, 2_000), (Self.store, last, 2_000), (first, last, 0),
                ] {
                    let run = SettingsToolRun(["copy", source, target], variables(fleet))
                    #expect(run.code == 0 && run.output == "2000 settings, \(count) changed.\n", "\(run)")
                }
                #expect(tool(["delete"] + (0..<500).map { "setting \($0)" }, fleet).code == 0)
                #expect(try fleet.store().keys().count == 1_500)
                #expect(tool(["delete", "--all"], fleet).code == 0 && tool(["list"], fleet).output.isEmpty)
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
