import Foundation
import SettingsKitCore
import Testing

@Suite("Records over layers")
struct LayeredRecordTests {
    struct Network: SettingsRecord, Codable, Equatable {
        var port = 80
        var name = "n"
        var proxy: String?
        var retries: Int?
        static let empty = Network()
    }

    private let user = MemoryStore()
    private let problems = Recorder<SettingsError>()

    private func record(_ managed: [String: String], _ arguments: [String]) throws -> SettingsStorage<Network> {
        let store = try LayeredStore([
            .locked(MemoryStore(managed), name: "managed"), .arguments(arguments), .writable(user),
        ])
        return try SettingsStorage<Network>(name: "network", in: SettingsService.over(store, problems))
    }

    private func stored(_ field: String) -> String? {
        user.get(.init("network:" + field, scope: .defaults)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("A field that an argument sets is locked, and the others are written")
    func locked() throws {
        let record = try record([:], ["--network-port", "8080"])
        record.name = "mine"
        #expect(stored("name") == #""mine""# && problems.all.isEmpty)
        record.port = 9
        #expect(record.port == 8080 && stored("port") == nil)
        #expect(problems.all.map(\.code) == [.locked])
        record.update {
            $0.name = "other"
            $0.retries = 1
        }
        #expect(stored("name") == #""other""# && stored("retries") == "1" && stored("port") == nil)
        let error = #expect(throws: SettingsError.self) { try record.save(Network(port: 9)) }
        #expect(error?.code == .locked && error?.layer == "arguments")
        #expect(stored("name") == #""other""#)
    }

    @Test(
        "A field that an argument or a managed value makes nil is locked, too",
        arguments: [["--network-proxy=null"], []])
    func lockedAsNil(arguments: [String]) throws {
        let record = try record(arguments.isEmpty ? ["network:proxy": "null"] : [:], arguments)
        record.proxy = "mine"
        #expect(record.proxy == nil && stored("proxy") == nil)
        #expect(problems.all.map(\.code) == [.locked])
    }
}
