import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("With the state of another cluster", .timeLimit(.minutes(5)))
    struct OtherClusterTests {
        /// Calls `body` with two clusters that use one state folder. The first one holds "count" and "old", has ended, and a
        /// change of "count" to 7 and a new "added" wait for it. The second one holds "count" as 1, at the same revision.
        private func withTwo(_ body: (_ former: Fleet, _ present: Fleet) async throws -> Void) async throws {
            try await Fleet.with { former in
                let directory = former.directory + "/other"
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                let present = Fleet(server: try EtcdServer(in: directory), directory: former.directory)
                defer { present.server.kill(0) }
                let store = try former.store { $0.patience = .seconds(1) }
                try store.save("count", "5")
                try store.save("old", "1")
                former.server.kill(0)
                try await until { !store.isConnected }
                try store.put("count", "7")
                try store.put("added", "1")
                store.close()
                try present.server.control("put", "else", "1")
                try present.server.control("put", "test/count", "1")
                try await body(former, present)
            }
        }

        private func value(_ name: String, in fleet: Fleet) throws -> String {
            try fleet.server.control("get", "test/" + name, "--print-value-only").trimmingCharacters(in: .newlines)
        }

        @Test(
            "Changes for another cluster are not sent, but kept aside, reported, and sent by a store of their cluster")
        func changes() async throws {
            try await withTwo { former, present in
                let problems = Recorder<SettingsError>()
                let store = try present.store()
                let settings = SettingsService.fleet(store, problems)
                try store.synchronize()
                #expect(settings.get(Setting<Int>("count", in: .fleet, default: 0)) == 1)
                #expect(store.text("old") == nil)
                #expect(try value("count", in: present) == "1" && value("added", in: present) == "")
                try await until { problems.codes.contains(.otherCluster) }
                try store.save("count", "2")
                store.close()
                let problem = try #require(problems.all.first { $0.code == .otherCluster })
                let folder = try #require(problem.underlying as? KeptChanges).folder
                #expect("\(problem)".contains(folder))

                // Nothing is kept aside twice.
                let again = try present.store()
                let others = Recorder<SettingsError>()
                let services = SettingsService.fleet(again, others)
                try again.synchronize()
                #expect(again.text("count") == "2" && !others.codes.contains(.otherCluster))
                withExtendedLifetime(services) {}

                try former.server.start(0)
                var options = EtcdStore.Options()
                options.patience = .seconds(20)
                let sender = try EtcdStore(
                    endpoints: former.server.endpoints, prefix: "test/", state: URL(fileURLWithPath: folder),
                    options: options)
                try sender.synchronize()
                #expect(try value("count", in: former) == "7" && value("added", in: former) == "1")
            }
        }

        @Test("While another cluster cannot be reached, the former one's values are not read, and they are not lost")
        func values() async throws {
            try await withTwo { former, present in
                present.server.kill(0)
                let store = try present.store { $0.openingPatience = .milliseconds(100) }
                #expect(store.text("count") == nil && store.text("old") == nil)
                try store.put("new", "1")
                store.close()
                let back = try former.store { $0.openingPatience = .milliseconds(100) }
                #expect(back.text("count") == "7" && back.text("old") == "1" && back.text("new") == nil)
                back.close()
                try former.server.start(0)
                let last = try former.store { $0.patience = .seconds(20) }
                try last.synchronize()
                #expect(try value("count", in: former) == "7" && value("new", in: former) == "")
            }
        }

        @Test("With one more address, the cluster is the same")
        func moreAddresses() async throws {
            try await withTwo { former, present in
                present.server.kill(0)
                let store = try former.store(endpoints: present.server.endpoints + former.server.endpoints) {
                    $0.openingPatience = .milliseconds(100)
                }
                #expect(store.text("count") == "7" && store.text("old") == "1")
            }
        }

        @Test("A program goes on when its cluster was restored with another identity, and keeps what waits aside")
        func otherIdentity() async throws {
            try await Fleet.with { fleet in
                let problems = Recorder<SettingsError>()
                let store = try fleet.store { $0.patience = .seconds(1) }
                let settings = SettingsService.fleet(store, problems)
                try store.save("count", "1")
                let snapshot = fleet.directory + "/snapshot"
                try fleet.server.control("snapshot", "save", snapshot)
                try store.save("count", "2")
                try store.save("lost", "1")
                fleet.server.kill(0)
                try await until { !store.isConnected }
                try store.put("count", "3")
                try store.put("added", "1")
                try fleet.server.restore(snapshot, token: "another")
                try await until { store.isConnected && thrownCode { try store.synchronize() } == nil }
                #expect(store.text("count") == "1" && store.text("lost") == nil)
                #expect(try value("count", in: fleet) == "1" && value("added", in: fleet) == "")
                #expect(problems.codes.contains(.otherCluster))
                try store.save("count", "4")
                #expect(try value("count", in: fleet) == "4")
                withExtendedLifetime(settings) {}
            }
        }
    }
}
