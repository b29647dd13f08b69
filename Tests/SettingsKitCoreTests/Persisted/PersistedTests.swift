import Foundation
import SettingsKitCore
import Testing

extension SettingsService.SettingDefinition {
    fileprivate static let loudness = Setting<Double>("volume", in: .shared, default: 0.5) { min(max($0, 0), 1) }
}

/// Reading, setting and listening are those of the setting: see `OneVerbTests`.
@Suite("Persisted properties", .timeLimit(Rounds.timeLimit))
struct PersistedTests {
    private final class Player {
        @Persisted(key: "bar", storedBy: MemoryStore(["bar": "\"old\""])) var bar: String?
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

    @Test("A class has persisted properties, with the stores injected", arguments: StoreKind.allCases)
    func inClass(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService(stores: [.shared: store], diagnosticSink: .none)
        let player = Player(service: settings, store: store)
        #expect(player.bar == "old" && player.nickname == nil && (player.volume, player.retries) == (0.5, 3))
        player.volume = 7
        player.retries += 1
        player.nickname = "x"
        #expect((player.volume, player.retries) == (1, 4) && settings.get(.loudness) == 1)
        #expect(player.$volume.key == SettingsService.SettingDefinition.loudness.key)
        #expect(player.$retries.defaultValue == 3)
        #expect(try store.text("retries") == "4" && store.text("nickname") == "\"x\"")
        player.nickname = nil
        #expect(try store.text("nickname") == nil)
        let again = Player(service: settings, store: store)
        #expect((again.volume, again.retries) == (1, 4))
    }

    @Test(
        "Structures, also immutable ones, actors and functions have persisted properties", arguments: StoreKind.allCases
    )
    func elsewhere(kind: StoreKind) async throws {
        let store = kind.make()
        let position = Position(store)
        let copy = position
        #expect((position.x, position.y) == (1, 2))
        position.x = 10
        copy.y = 20
        // Copies are of one value.
        #expect((copy.x, position.y) == (10, 20))
        let counter = Counter(store)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = await counter.increment() } }
        }
        #expect(await counter.increment() == 51)
        @Persisted(key: "count", storedBy: store) var number = 5
        @Persisted(key: "count", storedBy: store) var same: Int?
        number += 1
        #expect(same == 52)
        try $same.save(9)
        #expect(try $number.load() == 9)
    }

    @Test("nil is nothing where the default is nil, and a value where it is not", arguments: StoreKind.allCases)
    func optionals(kind: StoreKind) throws {
        let store = kind.make()
        @Persisted(key: "plain", storedBy: store) var plain: Int?
        @Persisted(key: "eight", storedBy: store) var eight: Int? = 8
        #expect((plain, eight) as (Int?, Int?) == (nil, 8))
        (plain, eight) = (1, 2)
        #expect((plain, eight) as (Int?, Int?) == (1, 2))
        (plain, eight) = (nil, nil)
        #expect((plain, eight) as (Int?, Int?) == (nil, nil))
        #expect(try store.text("plain") == nil && store.text("eight") == "null")
        $eight.reset()
        #expect(eight == 8)
    }

    @Test("A property has the transformer that it is given, for each form of definition")
    func transformers() throws {
        let (store, seal) = (MemoryStore(), XorTransformer(mask: 0x5A))
        @Persisted(key: "a", storedBy: store, transformer: JSONTransformer<Int?>().append(transformer: seal)) var a:
            Int?
        @Persisted(key: "b", storedBy: store, transformer: JSONTransformer().append(transformer: seal)) var b = 3
        let setting = Setting<Int>(
            "c", in: .defaults, default: 0,
            transformer: HookedTransformer(onTransform: { if $0 < 0 { throw StoreBroken() } }))
        @Persisted(setting, in: .over(store)) var c
        a = 1
        b += 1
        #expect((a, b) as (Int?, Int) == (1, 4))
        for (name, text) in ["a": "1", "b": "4"] {
            #expect(try seal.untransformValue(#require(store.get(key(name)))) == Data(text.utf8))
        }
        c = 2
        c = -1
        #expect(c == 2 && thrownCode { try $c.save(-2) } == .encodingFailed)
    }

    @Test("Two properties over one store object receive each other's changes at once", arguments: StoreKind.allCases)
    func shared(kind: StoreKind) {
        let store = kind.make()
        @Persisted(key: "n", storedBy: store) var one = 0
        @Persisted(key: "n", storedBy: store, transformer: JSONTransformer()) var two = 0
        let told = Recorder<String>()
        let subscriptions = [$one.observe(told.listener()), $two.observe(told.listener())]
        for number in 1...3 {
            one = number * 2
            #expect(two == number * 2)
            two = number * 2 + 1
            #expect(one == number * 2 + 1)
        }
        #expect(told.all == ["0-2", "2-3", "3-4", "4-5", "5-6", "6-7"].flatMap { [$0, $0] })
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Listening ends with the subscription's life; until then it keeps the store, and the property need not live")
    func lifetime() {
        weak var store: MemoryStore?
        weak var persister: Persister<Int>?
        let told = Recorder<String>()
        var subscription: SettingsService.Subscription?
        do {
            let held = MemoryStore()
            store = held
            let property = Persisted(wrappedValue: 0, key: "n", storedBy: held)
            persister = property.projectedValue
            subscription = property.projectedValue.observe(told.listener())
            do {
                let dropped = property.projectedValue.observe(told.listener())
                property.wrappedValue = 1
                withExtendedLifetime(dropped) {}
            }
            property.wrappedValue = 2
        }
        #expect(told.all == ["0-1", "0-1", "1-2"])
        #expect(persister == nil)
        store?.set(key("n"), to: Data("3".utf8))
        #expect(told.all.last == "2-3" && subscription != nil)
        subscription = nil
        #expect(store == nil && told.count == 4)
    }

    @Test(
        "A sequence of values outlives the property that it was asked of, and ends with its task",
        arguments: StoreKind.allCases)
    func values(kind: StoreKind) async {
        let store = kind.make()
        let updates = Persisted(wrappedValue: 0, key: "n", storedBy: store).projectedValue.values
        var iterator = updates.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        for value in [3, 4] { store.set(Setting<Int>("n", in: .shared, default: 0), to: value) }
        #expect(await iterator.next() == 4)
        let task = Task { for await _ in updates {} }
        task.cancel()
        await task.value
    }
}

@Suite("Persisted properties on many threads (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct PersistedConcurrencyTests {
    @Test("Properties over one store come and go on many threads, and share its values", arguments: StoreKind.allCases)
    func comingAndGoing(kind: StoreKind) throws {
        let store = kind.make()
        inParallel(8) { thread in
            for round in 1...150 {
                let property = Persisted(wrappedValue: 0, key: "n\(thread)", storedBy: store)
                let subscription = property.projectedValue.observe { _ in }
                property.wrappedValue = round
                #expect(property.wrappedValue == round)
                #expect(store.get(Setting<Int>("n\(thread)", in: .defaults, default: 0)) == round)
                store.set(Setting<Int>("n\(thread)", in: .shared, default: 0), to: -round)
                #expect(property.wrappedValue == -round)
                if round % 2 == 0 { subscription.cancel() }
            }
        }
        for thread in 0..<8 { #expect(try store.text("n\(thread)") == "-150") }
    }
}
