import Foundation
import SettingsKitCore
import Testing

@Suite("Several settings at once")
struct SeveralSettingsTests {
    private let one = Setting<Int>("one", in: .defaults, default: 1)
    private let two = Setting<String>("two", in: .defaults, default: "b")
    private let three = Setting<Bool?>("three", in: .shared)

    private func service(_ problems: Recorder<SettingsError>? = nil) -> SettingsService {
        SettingsService(
            stores: [.defaults: MemoryStore(), .shared: MemoryStore()], diagnosticSink: .init { problems?.append($0) })
    }

    @Test("Their values come together, first the current ones, then the newest after each transaction")
    func values() async {
        let settings = service()
        var pairs = settings.values(of: one, two).makeAsyncIterator()
        var triples = settings.values(of: one, two, three).makeAsyncIterator()
        #expect(await pairs.next().map { "\($0)" } == "(1, \"b\")")
        #expect(await triples.next().map { "\($0)" } == "(1, \"b\", nil)")
        for number in 2...20 {
            settings.transaction { t in
                t.set(one, to: number)
                t.set(two, to: "\(number)")
            }
        }
        #expect(await pairs.next().map { "\($0)" } == "(20, \"20\")")
        settings.set(three, to: true)
        #expect(await triples.next().map { "\($0)" } == "(20, \"20\", Optional(true))")
        settings.set(one, to: 5)
        #expect(await pairs.next()?.0 == 5)
    }

    @Test("Values of one store are of one moment, although a writer interrupts each of hundreds of readings")
    func interruptedReadings() async {
        let store = MemoryStore()
        let (settings, other) = (SettingsService.over(store), SettingsService.over(store))
        let count = Recorder<Int>()
        // Writes when the first value was read, and the second was not.
        let transformer = HookedTransformer<Int>(onUntransform: { [one, two] _ in
            guard count.all.count < 250 else { return }
            count.append(0)
            let number = count.all.count + 1
            other.transaction { t in
                t.set(one, to: number)
                t.set(two, to: "\(number)")
            }
        })
        other.set(one, to: 1)
        other.set(two, to: "1")
        let interrupted = Setting<Int>("one", in: .defaults, default: 1, transformer: transformer)
        var values = settings.values(of: interrupted, two).makeAsyncIterator()
        #expect(await values.next().map { "\($0)" } == "(251, \"251\")")
        #expect(count.all.count == 250)
    }

    @Test("Resetting several is one transaction, and tells which setting has its default")
    func reset() {
        let problems = Recorder<SettingsError>()
        let settings = service(problems)
        let sets = Recorder<Int>()
        settings.set(one, to: 1)
        settings.set(two, to: "x")
        settings.set(three, to: false)
        #expect(!settings.isDefault(one) && !settings.isDefault(three))
        let subscription = settings.observe(in: .defaults) { sets.append($0.keys.count) }
        settings.reset(one, two, three)
        #expect(sets.all == [2])
        #expect(settings.isDefault(one) && settings.isDefault(two) && settings.isDefault(three))
        #expect(problems.all.isEmpty)
        subscription.cancel()
    }

    @Test("A listener may be notified of the changes of others only, or of this process's")
    func origins() {
        let store = FeedStore()
        let settings = SettingsService.over(store)
        let (external, local) = (Recorder<Int>(), Recorder<Int>())
        let subscriptions = [
            settings.observe(one, from: .external) { external.append($0.newValue) },
            settings.observe(one, from: .local) { local.append($0.newValue) },
        ]
        settings.set(one, to: 2)
        store.changeFromOutside([("one", "3")])
        settings.set(one, to: 4)
        #expect(external.all == [3] && local.all == [2, 4])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Definitions are equal if their names and scopes are")
    func equality() {
        let same = Setting<Int>("one", in: .defaults, default: 5)
        let elsewhere = Setting<Int>("one", in: .shared, default: 1)
        #expect(one == same && one != elsewhere && Set([one, same, elsewhere]).count == 2)
        #expect(one as SettingDefinition != two as SettingDefinition)
    }

    @Test("A transformer of elements serves arrays and dictionaries")
    func collections() throws {
        struct Hex: Transformer {
            func transformValue(_ value: Int) -> String { String(value, radix: 16) }
            func untransformValue(_ output: String) throws -> Int {
                guard let value = Int(output, radix: 16) else { throw StoreBroken() }
                return value
            }
        }
        let list = Setting<[Int]>(
            "list", in: .defaults, default: [],
            transformer: Hex().forArray().append(transformer: JSONTransformer<[String]>()))
        let table = Setting<[String: Int]?>(
            "table", in: .defaults,
            transformer: Hex().forDictionary().append(transformer: JSONTransformer<[String: String]>()).forOptional())
        let store = MemoryStore()
        let settings = SettingsService.over(store)
        settings.set(list, to: [10, 255])
        settings.set(table, to: ["x": 16])
        #expect(try store.text("list") == #"["a","ff"]"# && store.text("table") == #"{"x":"10"}"#)
        #expect(
            SettingsService.over(store).get(list) == [10, 255] && SettingsService.over(store).get(table) == ["x": 16])
        store.set(list.key, to: Data(#"["a","?"]"#.utf8))
        #expect(thrownCode { try SettingsService.over(store).load(list) } == .decodingFailed)
    }

    @Test("The values of a scope are decoded as JSON, and bytes that are no JSON stay bytes")
    func scopeAsDictionary() throws {
        let store = MemoryStore()
        let texts = [
            "flag": "true", "count": "-7", "large": "\(UInt64.max)", "ratio": "0.5", "name": #""Ann""#, "none": "null",
            "list": #"[1,null,"x"]"#, "table": #"{"a":{"b":false}}"#, "bytes": "no JSON",
        ]
        for (name, text) in texts { store.set(.init(name, scope: .defaults), to: Data(text.utf8)) }
        let values = SettingsService.over(store).values(in: .defaults)
        #expect(Set(values.keys) == Set(texts.keys))
        #expect(SettingsService.over(store).keys(in: .defaults) == texts.keys.sorted())
        func value<T>(_ name: String, as type: T.Type = T.self) -> T? { values[name].flatMap { $0 } as? T }
        #expect(value("flag") == true && value("count") == Int64(-7) && value("large") == UInt64.max)
        #expect(value("ratio") == 0.5 && value("name") == "Ann" && value("bytes") == Data("no JSON".utf8))
        #expect(values["none"].map { $0 == nil } == true)
        let list = try #require(value("list", as: [(any Sendable)?].self))
        #expect(list.count == 3 && list[0] as? Int64 == 1 && list[1] == nil && list[2] as? String == "x")
        let table = try #require(value("table", as: [String: (any Sendable)?].self)?["a"] as? [String: (any Sendable)?])
        #expect(table["b"] as? Bool == false)
    }

    @Test(
        "A store that cannot list its keys has none, and its scope is not reset; that is diagnosed, as a missing store is"
    )
    func scopeWithoutKeys() {
        let stores: [(store: [SettingsService.Scope: any SettingsStore], code: SettingsError.Code)] = [
            ([:], .noStore), ([.defaults: TwoFunctionStore(["one": Data("5".utf8)])], .unsupported),
        ]
        for (stores, code) in stores {
            let problems = Recorder<SettingsError>()
            let settings = SettingsService(stores: stores, diagnosticSink: .init { problems.append($0) })
            for _ in 0..<2 { #expect(settings.values(in: .defaults).isEmpty && settings.keys(in: .defaults).isEmpty) }
            #expect(problems.codes == [code])
            settings.reset(scope: .defaults)
            #expect(settings.get(one) == (stores.isEmpty ? 1 : 5) && Set(problems.codes) == [code])
        }
    }
}
