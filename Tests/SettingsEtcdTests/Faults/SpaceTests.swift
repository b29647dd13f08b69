import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

extension WithEtcd {
    @Suite("A cluster without space", .timeLimit(.minutes(5)))
    struct SpaceTests {
        private let count = Setting<Int>("count", in: .fleet, default: 0)

        private func fill(_ server: EtcdServer) throws {
            for number in 0..<100 {
                if try server.control("alarm", "list").contains("NOSPACE") { return }
                try server.tryControl(["put", "filler\(number % 2)", String(repeating: "x", count: 100_000)])
            }
        }

        @Test("It is reported as such, values are read, and changes are made when there is space again")
        func alarm() throws {
            try withTemporaryDirectory { directory in
                let server = try EtcdServer(in: directory, extra: ["--quota-backend-bytes", "4000000"])
                defer { server.kill(0) }
                let fleet = Fleet(server: server, directory: directory)
                let store = try fleet.store { $0.patience = .seconds(3) }
                let problems = Recorder<SettingsError>()
                let settings = SettingsService.fleet(store, problems)
                try settings.save(count, to: 1)
                try fill(server)
                #expect(thrownCode { try settings.save(count, to: 2) } == .clusterFull)
                #expect(store.isConnected && settings.get(count) == 1)
                let read = try settings.save { $0.get(count) }
                #expect(read == 1)
                settings.set(count, to: 3)
                #expect(problems.codes == [.clusterFull] && settings.get(count) == 1)
                try store.synchronize()
                try server.control("compact", server.revision(of: "test/count"))
                try server.control("defrag")
                try server.control("alarm", "disarm")
                settings.set(count, to: 3)
                #expect(try server.control("get", "test/count", "--print-value-only") == "3\n")
            }
        }
    }
}
