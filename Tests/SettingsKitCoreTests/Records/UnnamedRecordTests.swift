import Foundation
import SettingsKitCore
import Testing

@Suite("A record without a name")
struct UnnamedRecordTests {
    private struct Server: SettingsRecord, Equatable {
        var port = 8080
        var hosts = ["localhost"]
        var logLevel: String?
        static let empty = Server()
    }

    @Test("Its fields have their own names in every layer, text included")
    func layers() throws {
        let (user, system) = (MemoryStore(), MemoryStore(["port": "81", "hosts": #"["b"]"#]))
        let layered = try LayeredStore([
            .arguments(["--log-level", "debug"]), .environment(prefix: "S_", ["S_HOSTS": "a,b"]), .writable(user),
            .fallback(system, name: "system"),
        ])
        let server = try SettingsStorage<Server>(in: layered)
        #expect(server.get() == Server(port: 81, hosts: ["a", "b"], logLevel: "debug"))
        let log = Recorder<Int>()
        let subscription = server.observe { log.append($0.port) }
        server.port = 9000
        try system.put("port", "82")
        try user.put("port", nil)
        #expect(log.all.first == 9000 && log.all.last == 82 && user.keys() == [])
        #expect(thrownCode { try server.save(Server(port: 1)) } == .locked)
        subscription.cancel()
    }

    @Test("A setting of the same name has the field's value")
    func setting() throws {
        let settings = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)
        let server = try SettingsStorage<Server>(in: settings)
        let port = Setting<Int>("port", in: .defaults, default: 1)
        server.update { $0.port += 1 }
        #expect(settings.get(port) == 8081)
        settings.set(port, to: 5)
        #expect(server.port == 5 && server.get() == Server(port: 5))
    }

    @Test("Resetting it removes its fields, and nothing else of the store")
    func reset() throws {
        let store = MemoryStore(["port": "1", "hosts": "[]", "other": "1", "network:port": "1"])
        let server = try SettingsStorage<Server>(in: store)
        server.logLevel = "info"
        server.reset()
        #expect(server.get() == .empty && store.keys().sorted() == ["network:port", "other"])
    }

    @Test("Resetting it leaves the values of other layers, which lock")
    func resetWithLocks() throws {
        let user = MemoryStore(["hosts": "[]"])
        let layered = try LayeredStore([.arguments(["--port", "1"]), .writable(user)])
        let server = try SettingsStorage<Server>(in: layered)
        try server.remove()
        #expect(server.get() == Server(port: 1) && user.keys().isEmpty)
        let unwritable = try LayeredStore([.arguments(["--port", "1"])])
        try SettingsStorage<Server>(in: unwritable).remove()
    }

    @Test("Its migrations have a ledger of their own")
    func migrations() throws {
        let store = MemoryStore(["Port": "7"])
        let server = try SettingsStorage<Server>(
            in: store,
            migrations: [.version("1") { $0.set(Setting<Int>("port", in: .defaults, default: 0), to: 7) }])
        #expect(server.port == 7)
        let settings = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
        try settings.migrate([.version("1") { $0.set(Setting<Int>("port", in: .defaults, default: 0), to: 8) }])
        #expect(settings.get(Setting<Int>("port", in: .defaults, default: 0)) == 8)
    }

    @Test("A field with a name that no key can have is refused when it is written", arguments: ["", "a\0"])
    func invalidFieldName(name: String) throws {
        struct Open: SettingsRecord {
            var fields: [String: Int] = [:]
            static let empty = Open()
            func save(into row: inout SettingsRow) { for (name, value) in fields { row[name] = value } }
            static func load(from row: SettingsRow) -> Open { Open(fields: row["a"].map { ["a": $0] } ?? [:]) }
        }
        let open = try SettingsStorage<Open>(in: MemoryStore())
        #expect(thrownCode { try open.save(Open(fields: [name: 1])) } == .encodingFailed)
        try open.save(Open(fields: ["a": 1]))
        #expect(open.fields == ["a": 1])
    }

    @Test("A field with an empty name is refused when the record is created")
    func emptyFieldName() throws {
        struct Odd: SettingsRecord {
            var value = 1
            static let empty = Odd()
            func save(into row: inout SettingsRow) { row[""] = value }
            static func load(from row: SettingsRow) -> Odd { Odd(value: row[""] ?? 1) }
        }
        #expect(thrownCode { try SettingsStorage<Odd>(in: MemoryStore()) } == .encodingFailed)
        #expect(try SettingsStorage<Odd>(name: "odd", in: MemoryStore()).value == 1)
    }
}
