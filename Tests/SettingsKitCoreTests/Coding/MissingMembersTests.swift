import Foundation
import SettingsKitCore
import Testing

@Suite("Members that an older version did not store")
struct MissingMembersTests {
    private struct Limit: Codable, Sendable, Equatable {
        var perMinute = 60
        var burst = 10
        var note: String?
    }

    private struct Server: Codable, Sendable, Equatable {
        enum CodingKeys: String, CodingKey {
            case limit
            case name = "1st"
            case byUser, all
        }
        var limit = Limit()
        var name = "a"
        var byUser = ["ann": Limit(perMinute: 1, burst: 2)]
        var all = [Limit()]
    }

    private func value<Value: Codable & Sendable>(_ json: String, default: Value) throws -> Value {
        let settings = SettingsService.over(MemoryStore(["v": Data(json.utf8)]))
        return try settings.load(Setting<Value>("v", in: .defaults, default: `default`))
    }

    private func isUndecodable<Value: Codable & Sendable>(_ json: String, default: Value) -> Bool {
        thrownCode { try value(json, default: `default`) } == .decodingFailed
    }

    @Test("An update of a structure that has gained a member keeps the other stored members")
    func updateKeepsMembers() {
        let store = MemoryStore(["limit": Data(#"{"perMinute":7}"#.utf8)])
        let setting = Setting<Limit>("limit", in: .defaults, default: Limit(note: "new"))
        let settings = SettingsService.over(store)
        #expect(settings.get(setting) == Limit(perMinute: 7, burst: 10))
        settings.update(setting) { $0.burst = 20 }
        #expect(settings.get(setting) == Limit(perMinute: 7, burst: 20))
        #expect(store.get(setting.key) == Data(#"{"burst":20,"perMinute":7}"#.utf8))
    }

    @Test("Missing members are taken one by one, at any depth, also under custom coding keys")
    func depth() throws {
        #expect(try value("{}", default: Limit(perMinute: 5, burst: 6)) == Limit(perMinute: 5, burst: 6))
        #expect(
            try value("{ \"all\": [],\n\"limit\": { \"burst\" : 3 }, \"byUser\": {} }", default: Server(name: "b"))
                == Server(limit: Limit(burst: 3), name: "b", byUser: [:], all: []))
        #expect(try value(#"{"1st":"x"}"#, default: Server() as Server?) == Server(name: "x"))
        #expect(
            try value(#"{"a":{"burst":1}}"#, default: ["a": Limit(perMinute: 9)])
                == ["a": .init(perMinute: 9, burst: 1)])
    }

    @Test("Objects are not merged: removed entries and optional members do not come back from the default")
    func noMerge() throws {
        #expect(try value(#"{"b":1}"#, default: ["a": 1]) == ["b": 1])
        let json = #"{"all":[],"byUser":{},"1st":"c"}"#
        #expect(try value(json, default: Server(limit: Limit(note: "x"))).byUser == [:])
        #expect(try value(#"{"perMinute":1}"#, default: Limit(note: "x")).note == nil)
    }

    @Test("Exact numbers survive a missing member")
    func exactNumbers() throws {
        struct Numbers: Codable, Sendable, Equatable {
            var large = UInt64.max
            var real = 0.1
            var decimal = Decimal(string: "0.12345678901234567890123")
            var new = 1
        }
        let stored = #"{"large":18446744073709551614,"real":0.30000000000000004,"decimal":1.12345678901234567890123}"#
        let value = try value(stored, default: Numbers())
        #expect(value.large == UInt64.max - 1 && value.real == 0.1 + 0.2 && value.new == 1)
        #expect(value.decimal == Decimal(string: "1.12345678901234567890123"))
    }

    @Test("A member that the default does not have at the same place leaves the value undecodable")
    func notFound() {
        #expect(isUndecodable(#"[{"burst":1}]"#, default: [Limit()]))
        #expect(isUndecodable(#"{"b":{"burst":1}}"#, default: ["a": Limit()]))
        #expect(isUndecodable(#"{"burst":1}"#, default: nil as Limit?))
        #expect(isUndecodable(#"{"burst":"many"}"#, default: Limit()))
        #expect(isUndecodable(#"{"burst":null,"perMinute":1}"#, default: Limit()))
        struct Ratio: Codable, Sendable { var (a, b) = (Double.nan, 1) }
        #expect(isUndecodable(#"{"a":1}"#, default: Ratio()), "a default that cannot be encoded")
    }
}
