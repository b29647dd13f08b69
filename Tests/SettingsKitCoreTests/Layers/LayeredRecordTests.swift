import Foundation
import SettingsKitCore
import Testing

@Suite("Records over layers")
struct LayeredRecordTests {
    enum Mode: String, Codable, Sendable { case fast, slow }

    struct Limit: Codable, Sendable, Equatable {
        var perMinute = 60
        var burst = 10
    }

    struct Network: SettingsRecord, Codable, Equatable {
        var port = 80
        var isDetailed = false
        var name = "n"
        var mode = Mode.slow
        var limit = Limit()
        var proxy: String?
        var retries: Int?
        var url: URL?
        static let empty = Network()
    }

    private let user = MemoryStore()
    private let problems = Recorder<SettingsError>()

    private func record(_ arguments: [String] = [], _ variables: [String: String] = [:]) throws -> SettingsStorage<
        Network
    > {
        let store = try LayeredStore([
            .arguments(arguments), .environment(prefix: "APP_", variables), .writable(user),
            .fallback(MemoryStore(["network:name": Data(#""machine""#.utf8)]), name: "machine"),
        ])
        let settings = SettingsService.over(store, problems)
        return try SettingsStorage<Network>(name: "network", in: settings)
    }

    private func stored(_ field: String) -> String? {
        user.get(.init("network:" + field, scope: .defaults)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Fields take text from arguments and variables by their types, as settings do")
    func text() throws {
        let record = try record(
            [
                "--network-port", "8080", "--network-is-detailed", "--network-mode=fast", "--network-limit",
                #"{"perMinute":5,"burst":1}"#,
            ],
            ["APP_NETWORK_PROXY": "null", "APP_NETWORK_RETRIES": "3", "APP_NETWORK_URL": "https://a.example/b"])
        #expect(
            record.get()
                == Network(
                    port: 8080, isDetailed: true, name: "machine", mode: .fast, limit: Limit(perMinute: 5, burst: 1),
                    proxy: nil,
                    retries: 3,
                    url: URL(string: "https://a.example/b")))
        #expect(problems.all.isEmpty)
    }

    @Test("A negated Boolean is false; a negation alone says nothing about a number")
    func negation() throws {
        user.set(.init("network:isDetailed", scope: .defaults), to: Data("true".utf8))
        user.set(.init("network:port", scope: .defaults), to: Data("1".utf8))
        let record = try record(["--no-network-is-detailed", "--no-network-port"])
        #expect(record.isDetailed == false && record.port == 1)
        #expect(problems.all.isEmpty)
    }

    @Test("Text that is no value is reported, with what is expected and where it stands, and the next layer counts")
    func refusedText() throws {
        user.set(.init("network:port", scope: .defaults), to: Data("1".utf8))
        let record = try record(["--network-port=many"], ["APP_NETWORK_LIMIT": #"{"burst":"x","perMinute":1}"#])
        #expect(record.port == 1 && record.limit == Limit())
        let messages = problems.all.map(\.description).joined(separator: "\n")
        #expect(problems.all.allSatisfy { $0.code == .invalidValue })
        #expect(
            messages.contains("--network-port") && messages.contains("an integer") && messages.contains("arguments"))
        #expect(messages.contains("APP_NETWORK_LIMIT") && messages.contains("burst"))
        #expect(!messages.contains("many"))
    }

    @Test("A field that an argument sets is locked, and the others are written")
    func locked() throws {
        let record = try record(["--network-port", "8080"])
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
        let managed = MemoryStore(arguments.isEmpty ? ["network:proxy": Data("null".utf8)] : [:])
        let store = try LayeredStore([
            .locked(managed, name: "managed"), .arguments(arguments), .writable(user),
        ])
        let record = try SettingsStorage<Network>(name: "network", in: SettingsService.over(store, problems))
        record.proxy = "mine"
        #expect(record.proxy == nil && stored("proxy") == nil)
        #expect(problems.all.map(\.code) == [.locked])
    }

    @Test("A field that is decoded by hand is locked by nil, too")
    func lockedAsNilByHand() throws {
        struct Mapped: SettingsRecord, Codable, Equatable {
            var host: String? = "a"
            var port: Int? = 1
            static let empty = Mapped()

            enum CodingKeys: String, CodingKey { case host, port }

            init() {}

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                host = try container.decodeNil(forKey: .host) ? nil : container.decode(String.self, forKey: .host)
                port = try container.decodeIfPresent(Int.self, forKey: .port)
            }
        }
        let store = try LayeredStore([.arguments(["--m-host=null", "--m-port=null"]), .writable(user)])
        let record = try SettingsStorage<Mapped>(name: "m", in: SettingsService.over(store, problems))
        #expect(record.get().host == nil && record.get().port == nil)
        record.host = "b"
        record.port = 2
        #expect(user.keys() == [])
        #expect(problems.all.map(\.code) == [.locked, .locked])
    }

    @Test("Text that no field accepts locks nothing")
    func disregarded() throws {
        let record = try record(["--network-port=many"], ["APP_NETWORK_RETRIES": "few"])
        record.port = 9
        record.update(\.retries) { $0 = 4 }
        #expect(record.port == 9 && record.retries == 4)
        #expect(stored("port") == "9" && stored("retries") == "4")
        record.reset()
        #expect(record.port == 80 && stored("port") == nil && stored("retries") == nil)
        #expect(problems.all.filter { $0.code != .invalidValue }.map(\.description) == [])
    }

    @Test("Rows that are mapped by hand take text, too")
    func byHand() throws {
        struct Mapped: SettingsRecord, Equatable {
            var port = 80
            var isDetailed: Bool?
            static let empty = Mapped()
            func save(into row: inout SettingsRow) throws {
                row["port"] = port
                row["detailed"] = isDetailed
            }
            static func load(from row: SettingsRow) throws -> Mapped {
                Mapped(port: row["port"] ?? 80, isDetailed: row["detailed"])
            }
        }
        let store = try LayeredStore([.arguments(["--m-port=5", "--no-m-detailed"]), .writable(user)])
        let record = try SettingsStorage<Mapped>(name: "m", in: store)
        #expect(record.get() == Mapped(port: 5, isDetailed: false))
    }
}
