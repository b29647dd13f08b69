import Foundation
import SettingsKitCore
import Testing

extension SettingsService.SettingDefinition {
    fileprivate static let loudness = Setting<Double>("volume", in: .shared, default: 0.5) { min(max($0, 0), 1) }
}

@Suite("Persisted properties")
struct PersistedTests {
    private struct Bar: Codable, Sendable, Equatable {
        var baz: String
        var at: Date?
    }

    // MARK: Where a property may be

    private final class Player {
        @Persisted(key: "bar", storedBy: MemoryStore(["bar": Data("\"old\"".utf8)])) var bar: String?
        @Persisted var volume: Double
        @Persisted var retries: Int
        @Persisted var nickname: String?

        init(service: SettingsService, store: some SettingsStore) {
            _volume = Persisted(.loudness, in: service)
            _retries = Persisted(wrappedValue: 3, key: "retries", storedBy: store)
            _nickname = Persisted(key: "nickname", storedBy: store)
        }
    }

    private struct Position {
        @Persisted var x: Int
        @Persisted var y: Int

        init(_ store: any SettingsStore) {
            _x = Persisted(wrappedValue: 1, key: "x", storedBy: store)
            _y = Persisted(Setting("y", in: .defaults, default: .computed { 2 }), in: .over(store))
        }
    }

    private actor Counter {
        @Persisted var count: Int

        init(_ store: any SettingsStore) { _count = Persisted(wrappedValue: 0, key: "count", storedBy: store) }

        func increment() -> Int {
            count += 1
            return $count.value
        }
    }

    @Test("Persisted properties: in a class, with the stores injected", arguments: StoreKind.allCases)
    func inClass(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService(stores: [.shared: store], diagnosticSink: .none)
        let player = Player(service: settings, store: store)
        #expect(player.bar == "old")
        #expect((player.volume, player.retries) == (0.5, 3))
        #expect(player.nickname == nil)
        player.volume = 7
        player.retries += 1
        player.nickname = "x"
        #expect((player.volume, player.retries) == (1, 4))
        #expect(settings.get(.loudness) == 1)
        #expect(player.$volume.key == SettingsService.SettingDefinition.loudness.key)
        #expect(player.$retries.defaultValue == 3)
        #expect(try store.text("retries") == "4")
        #expect(try store.text("nickname") == "\"x\"")
        player.nickname = nil
        #expect(try store.text("nickname") == nil)
        let again = Player(service: settings, store: store)
        #expect((again.volume, again.retries) == (1, 4))
    }

    @Test(
        "Persisted properties: in a structure, also an immutable one; copies are of one value",
        arguments: StoreKind.allCases)
    func inStructure(kind: StoreKind) {
        let position = Position(kind.make())
        let copy = position
        #expect((position.x, position.y) == (1, 2))
        position.x = 10
        copy.y = 20
        #expect((copy.x, position.y) == (10, 20))
    }

    @Test("Persisted properties: in an actor", arguments: StoreKind.allCases)
    func inActor(kind: StoreKind) async throws {
        let store = kind.make()
        let counter = Counter(store)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = await counter.increment() } }
        }
        #expect(await counter.increment() == 51)
        #expect(try store.text("count") == "51")
    }

    @Test("Persisted properties: as a local variable, with its projected value")
    func local() throws {
        let store = MemoryStore()
        @Persisted(key: "n", storedBy: store) var number = 5
        @Persisted(key: "n", storedBy: store) var same: Int?
        #expect(same == nil)
        number += 1
        #expect(same == 6)
        try $same.save(9)
        #expect(try $number.load() == 9)
    }

    // MARK: Defaults and optionals

    @Test(
        "A default is what is read while nothing is stored, and is not stored by reading", arguments: StoreKind.allCases
    )
    func defaults(kind: StoreKind) throws {
        let store = kind.make()
        let calls = Box(0)
        @Persisted(key: "initial", storedBy: store) var initial = 1
        @Persisted(
            Setting(
                "computed", in: .defaults,
                default: .computed {
                    calls.value += 1
                    return calls.value * 10
                }), in: .over(store)) var computed: Int
        #expect(initial == 1)
        #expect((computed, computed) == (10, 20))
        #expect(try $computed.load() == 30)
        for name in ["initial", "computed"] { #expect(try store.text(name) == nil) }
        computed = 5
        #expect(computed == 5)
        #expect(calls.value == 3)
        $computed.reset()
        #expect(computed == 40)
        initial = 7
        $initial.reset()
        #expect(initial == 1)
        #expect(try store.text("initial") == nil)
    }

    @Test("A value is set and read without computing the default", arguments: StoreKind.allCases)
    func unneededDefault(kind: StoreKind) throws {
        let calls = Box(0)
        let store = kind.make()
        @Persisted(
            Setting(
                "n", in: .defaults,
                default: .computed {
                    calls.value += 1
                    return 1
                }), in: .over(store)) var number: Int?
        number = 2
        #expect(number == 2)
        try $number.save(3)
        #expect(try $number.load() == 3)
        #expect(calls.value == 0)
        // What storing nil means depends on it.
        number = nil
        #expect(calls.value > 0)
    }

    @Test(
        "nil is nothing where the default is nil, and a value of its own where it is not", arguments: StoreKind.allCases
    )
    func optionals(kind: StoreKind) throws {
        let store = kind.make()
        @Persisted(key: "plain", storedBy: store) var plain: Int?
        @Persisted(key: "eight", storedBy: store) var eight: Int? = 8
        @Persisted(key: "nine", storedBy: store) var nine: Int? = 9
        #expect((plain, eight, nine) as (Int?, Int?, Int?) == (nil, 8, 9))
        (plain, eight, nine) = (1, 2, 3)
        #expect((plain, eight, nine) as (Int?, Int?, Int?) == (1, 2, 3))
        (plain, eight, nine) = (nil, nil, nil)
        #expect((plain, eight, nine) as (Int?, Int?, Int?) == (nil, nil, nil))
        #expect(try store.text("plain") == nil)
        #expect(try store.text("eight") == "null")
        #expect(try store.text("nine") == "null")
        $eight.reset()
        #expect(eight == 8)
        #expect(try $nine.load() == nil)
    }

    // MARK: Transformers

    @Test("Transformers chain, for every kind of default", arguments: StoreKind.allCases)
    func transformers(kind: StoreKind) throws {
        let store = kind.make()
        let seal = XorTransformer(mask: 0x5A)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let dates = JSONTransformer<Bar?>(encoder: encoder, decoder: decoder)
        @Persisted(key: "a", storedBy: store, transformer: dates) var a: Bar?
        @Persisted(key: "b", storedBy: store, transformer: dates.append(transformer: seal)) var b: Bar?
        @Persisted(
            key: "c", storedBy: store,
            transformer: JSONTransformer().append(transformer: seal).append(transformer: XorTransformer(mask: 1)))
        var c = 3
        @Persisted(
            Setting(
                "d", in: .defaults, default: .computed { 4 }, transformer: JSONTransformer().append(transformer: seal)),
            in: .over(store))
        var d: Int
        let bar = Bar(baz: "x", at: Date(timeIntervalSince1970: 1_000))
        (a, b) = (bar, bar)
        c += 1
        d += 1
        #expect((a, b) as (Bar?, Bar?) == (bar, bar))
        #expect((c, d) == (4, 5))
        #expect(try store.text("a") == #"{"at":1000,"baz":"x"}"#)
        let sealed = try #require(try store.get(.init("b", scope: .defaults)))
        #expect(try seal.untransformValue(sealed) == Data(#"{"at":1000,"baz":"x"}"#.utf8))
        #expect(try store.get(.init("c", scope: .defaults))?.count == 3)
    }

    @Test(
        "A value that cannot be transformed: diagnosed or thrown, and the old one stays",
        arguments: StoreKind.allCases)
    func throwingTransform(kind: StoreKind) throws {
        let store = kind.make()
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(store, problems)
        let setting = Setting<Int>(
            "n", in: .defaults, default: 0,
            transformer: HookedTransformer(onTransform: { if $0 < 0 { throw StoreBroken() } }))
        @Persisted(setting, in: settings) var number
        // Another property, with a setting of its own over the same value.
        @Persisted(Setting<Int>("n", in: .defaults, default: 0), in: settings) var same
        let told = Recorder<String>()
        let subscriptions = [
            $number.observe(told.listener()), $same.observe(told.listener()),
        ]
        number = 1
        number = -1
        #expect(number == 1)
        #expect(problems.all.map(\.code) == [.encodingFailed])
        let error = #expect(throws: SettingsError.self) { try $number.save(-2) }
        #expect(error?.code == .encodingFailed && error?.key == setting.key && error?.underlying is StoreBroken)
        #expect(problems.count == 1)
        settings.transaction { $0.set(setting, to: -3) }
        number = 2
        #expect(try $number.load() == 2)
        #expect(problems.all.map(\.code) == [.encodingFailed, .encodingFailed])
        #expect(told.all == ["0-1", "0-1", "1-2", "1-2"])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Undecodable bytes from outside: diagnosed, thrown by load, and the last good value stays")
    func undecodable() throws {
        let store = FeedStore(["n": Data("1".utf8)])
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(store, problems)
        @Persisted(Setting<Int>("n", in: .defaults, default: 7), in: settings) var number
        let told = Recorder<String>()
        let subscription = $number.observe(told.listener())
        #expect(number == 1)
        store.changeFromOutside([("n", "\"hunter2\"")])
        #expect(number == 1)
        let error = #expect(throws: SettingsError.self) { try $number.load() }
        #expect(error?.code == .decodingFailed)
        #expect(problems.all.map(\.code) == [.decodingFailed])
        store.changeFromOutside([("n", "3")])
        number = 4
        #expect(told.all == ["1-3 external", "3-4"])
        #expect(!"\(problems.all)\(String(describing: error))".contains("hunter2"))
        subscription.cancel()
    }

    @Test("A store that cannot be read or written: diagnosed by reading and setting, thrown by loading and saving")
    func brokenStore() throws {
        let breaks = Box(true)
        let store = TwoFunctionStore(
            willGet: { _ in if breaks.value { throw StoreBroken() } }, willSet: { _, _ in throw StoreBroken() })
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(store, problems)
        @Persisted(Setting<Int>("n", in: .defaults, default: 7), in: settings) var number
        #expect((number, number) == (7, 7))
        #expect(thrownCode { try $number.load() } == .readFailed)
        #expect(problems.all.map(\.code) == [.readFailed])
        breaks.value = false
        #expect(thrownCode { try $number.save(1) } == .writeFailed)
        number = 2
        #expect(problems.all.map(\.code) == [.readFailed, .writeFailed])
        #expect(number == 7)
    }
}
