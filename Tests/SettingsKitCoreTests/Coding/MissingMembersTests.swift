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
        var limit = Limit()
        var name = "a"
        var byUser = ["ann": Limit(perMinute: 1, burst: 2)]
        var all = [Limit()]
    }

    private enum Mode: Codable, Sendable, Equatable {
        case off
        case limited(perMinute: Int, burst: Int)
    }

    private struct Renamed: Codable, Sendable, Equatable {
        enum CodingKeys: String, CodingKey {
            case first = "1st"
            case second = "2nd"
        }
        var first = 1
        var second = 2
    }

    private static func value<Value: Codable & Sendable>(
        _ json: String, default: Value, transformer: (any Transformer<Value, Data>)? = nil
    ) throws -> Value {
        let settings = SettingsService.over(MemoryStore(["v": Data(json.utf8)]))
        guard let transformer else { return try settings.load(Setting<Value>("v", in: .defaults, default: `default`)) }
        return try settings.load(Setting<Value>("v", in: .defaults, default: `default`, transformer: transformer))
    }

    private static func isUndecodable<Value: Codable & Sendable>(
        _ json: String, default: Value, transformer: (any Transformer<Value, Data>)? = nil
    ) -> Bool {
        thrownCode { try value(json, default: `default`, transformer: transformer) } == .decodingFailed
    }

    @Test("An update of a structure that has gained a member keeps the other stored members")
    func updateKeepsMembers() throws {
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
        #expect(try Self.value("{}", default: Limit(perMinute: 5, burst: 6)) == Limit(perMinute: 5, burst: 6))
        #expect(
            try Self.value(
                "{ \"all\": [],\n\"limit\": { \"burst\" : 3 }, \"byUser\": {} }", default: Server(name: "b"))
                == Server(limit: Limit(burst: 3), name: "b", byUser: [:], all: []))
        #expect(try Self.value(#"{"2nd":5}"#, default: Renamed()) == Renamed(first: 1, second: 5))
        #expect(try Self.value(#"{"2nd":5}"#, default: Renamed() as Renamed?) == Renamed(first: 1, second: 5))
        #expect(
            try Self.value(#"{"a":{"burst":1}}"#, default: ["a": Limit(perMinute: 9)]) == [
                "a": .init(perMinute: 9, burst: 1)
            ])
    }

    @Test("Entries that were removed and optional members do not come back from the default")
    func noMerge() throws {
        #expect(try Self.value(#"{"b":1}"#, default: ["a": 1]) == ["b": 1])
        let json = #"{"all":[],"byUser":{},"name":"c"}"#
        #expect(try Self.value(json, default: Server(limit: Limit(note: "x"))).byUser == [:])
        #expect(try Self.value(#"{"perMinute":1}"#, default: Limit(note: "x")).note == nil)
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
        let value = try Self.value(stored, default: Numbers())
        #expect(value.large == UInt64.max - 1 && value.real == 0.1 + 0.2 && value.new == 1)
        #expect(value.decimal == Decimal(string: "1.12345678901234567890123"))
    }

    @Test("Payloads are completed from the same case of the default only")
    func payloads() throws {
        let json = #"{"limited":{"perMinute":7}}"#
        #expect(
            try Self.value(json, default: Mode.limited(perMinute: 1, burst: 2)) == .limited(perMinute: 7, burst: 2))
        #expect(Self.isUndecodable(json, default: Mode.off))
        #expect(Self.isUndecodable(#"{"later":{}}"#, default: Mode.limited(perMinute: 1, burst: 2)))
    }

    @Test("A member that the default does not have at the same place leaves the value undecodable")
    func notFound() {
        #expect(Self.isUndecodable(#"[{"burst":1}]"#, default: [Limit()]))
        #expect(Self.isUndecodable(#"{"b":{"burst":1}}"#, default: ["a": Limit()]))
        #expect(Self.isUndecodable(#"{"burst":1}"#, default: nil as Limit?))
        #expect(Self.isUndecodable(#"{"burst":"many"}"#, default: Limit()))
        #expect(Self.isUndecodable(#"{"burst":null,"perMinute":1}"#, default: Limit()))
        struct Ratio: Codable, Sendable { var (a, b) = (Double.nan, 1) }
        #expect(Self.isUndecodable(#"{"a":1}"#, default: Ratio()), "a default that cannot be encoded")
    }

    @Test("A structure in a record's field takes a missing member from the empty record")
    func recordField() throws {
        struct Network: SettingsRecord {
            var limit = Limit(perMinute: 60, burst: 12)
            static let empty = Network()
        }
        let store = MemoryStore(["network:limit": Data(#"{"perMinute":7}"#.utf8)])
        let record = try SettingsStorage<Network>(name: "network", in: store)
        #expect(record.limit == Limit(perMinute: 7, burst: 12))
        record.limit.burst = 20
        #expect(record.limit == Limit(perMinute: 7, burst: 20))
    }

    @Test("A default that is computed gives no members")
    func computedDefault() {
        let settings = SettingsService.over(MemoryStore(["v": Data(#"{"burst":1}"#.utf8)]))
        let computed = Setting<Limit>("v", in: .defaults, default: .computed { Limit() })
        #expect(thrownCode { try settings.load(computed) } == .decodingFailed)
    }

    @Test("Members are found in the coder's spelling; the keys of dictionaries are left alone")
    func keyStrategies() throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .sortedKeys
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let limits = JSONTransformer<Limit>(encoder: encoder, decoder: decoder)
        #expect(try Self.value(#"{"burst":3}"#, default: Limit(), transformer: limits) == Limit(burst: 3))
        #expect(
            try Self.value(#"{"per_minute":3}"#, default: Limit(), transformer: limits.append(transformer: Same()))
                == Limit(perMinute: 3))
        let tables = JSONTransformer<[String: Limit]>(encoder: encoder, decoder: decoder)
        #expect(
            try Self.value(#"{"ann_b":{"burst":3}}"#, default: ["ann_b": Limit()], transformer: tables)
                == ["ann_b": Limit(burst: 3)])
        #expect(Self.isUndecodable(#"{"annB":{"burst":3}}"#, default: ["ann_b": Limit()], transformer: tables))
        encoder.keyEncodingStrategy = .custom { Named("x" + $0[$0.count - 1].stringValue) }
        decoder.keyDecodingStrategy = .custom { Named(String($0[$0.count - 1].stringValue.dropFirst())) }
        let servers = JSONTransformer<Server>(encoder: encoder, decoder: decoder)
        let json = #"{"xlimit":{"xburst":3},"xname":"n","xall":[]}"#
        #expect(
            try Self.value(json, default: Server(), transformer: servers)
                == Server(limit: Limit(burst: 3), name: "n", all: []))
    }

    @Test("Transformers of a program leave the value undecodable")
    func foreignTransformer() {
        struct Own: Transformer {
            func transformValue(_ value: Limit) throws -> Data { try JSONEncoder().encode(value) }
            func untransformValue(_ output: Data) throws -> Limit {
                try JSONDecoder().decode(Limit.self, from: output)
            }
        }
        #expect(Self.isUndecodable(#"{"burst":1}"#, default: Limit(), transformer: Own()))
    }

    private struct Same: Transformer {
        func transformValue(_ value: Data) -> Data { value }
        func untransformValue(_ output: Data) -> Data { output }
    }

    private struct Named: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
}
