import Foundation
import SettingsKitCore
import Testing

@Suite("Defaults that reading stores")
struct PersistDefaultTests {
    /// A property over one store, whose default is "d1", "d2", ... each time that it is computed.
    private struct Fixture {
        let calls = Box(0)
        let problems = Recorder<SettingsError>()
        let told = Recorder<String>()
        let persister: Persister<String>
        let subscription: SettingsService.Subscription

        init(_ store: any SettingsStore, _ persistDefault: PersistDefault) {
            let calls = calls
            let setting = Setting<String>(
                "s", in: .defaults, default: .computed { "d\(calls.take(replacingWith: calls.value + 1) + 1)" })
            persister = Persister(setting, in: .over(store, problems), persistDefault: persistDefault)
            subscription = persister.observe(told.listener())
        }
    }

    @Test(
        "What reading stores, where nothing is stored and where something else is", arguments: StoreKind.allCases,
        [PersistDefault.never, .whenNil, .onError, [.whenNil, .onError]])
    func table(kind: StoreKind, persistDefault: PersistDefault) throws {
        let empty = kind.make()
        var fixture = Fixture(empty, persistDefault)
        let first = fixture.persister.value
        #expect(first == "d1")
        if persistDefault.contains(.whenNil) {
            #expect(try empty.text("s") == "\"d1\"")
            #expect(fixture.persister.value == "d1")
            #expect(try fixture.persister.load() == "d1")
            try fixture.persister.remove()
            #expect(
                try fixture.persister.load()
                    == (try JSONDecoder().decode(String.self, from: Data(empty.text("s")?.utf8 ?? "".utf8))))
        } else {
            #expect(try empty.text("s") == nil)
            #expect(fixture.persister.value == "d2")
            #expect(fixture.told.all.isEmpty)
        }
        #expect(fixture.problems.all.isEmpty)

        let broken = kind.make()
        try broken.set(.init("s", scope: .defaults), to: Data("17".utf8))
        fixture = Fixture(broken, persistDefault)
        if persistDefault.contains(.onError) {
            #expect(try fixture.persister.load() == "d1")
            #expect(try broken.text("s") == "\"d1\"")
            #expect(fixture.persister.value == "d1")
        } else {
            #expect(thrownCode { try fixture.persister.load() } == .decodingFailed)
            #expect(fixture.persister.value == "d1")
            #expect(fixture.persister.value == "d2")
            #expect(try broken.text("s") == "17")
        }
        // The error about the earlier bytes is reported, even if they are lost.
        #expect(fixture.problems.all.map(\.code) == [.decodingFailed])

        let filled = kind.make()
        try filled.set(.init("s", scope: .defaults), to: Data("\"x\"".utf8))
        fixture = Fixture(filled, persistDefault)
        #expect(fixture.persister.value == "x")
        #expect(try fixture.persister.load() == "x")
        #expect(try filled.text("s") == "\"x\"")
        #expect(fixture.calls.value == 0)
    }

    @Test("A nil default is never stored; storing it removes an undecodable value", arguments: StoreKind.allCases)
    func nilDefault(kind: StoreKind) throws {
        let store = kind.make()
        try store.set(.init("n", scope: .defaults), to: Data("[".utf8))
        @Persisted(key: "n", storedBy: store, persistDefault: [.whenNil, .onError]) var number: Int?
        #expect(number == nil)
        #expect(try store.text("n") == nil)
        #expect(number == nil)
        number = 1
        #expect(try $number.load() == 1)
    }

    @Test(
        "A store that cannot be read is never written",
        arguments: [PersistDefault.whenNil, .onError, [.whenNil, .onError]])
    func unreadable(persistDefault: PersistDefault) throws {
        let breaks = Box(true)
        let writes = Recorder<String>()
        let twoFunctions = TwoFunctionStore(
            ["s": Data("\"x\"".utf8)], willGet: { _ in if breaks.value { throw StoreBroken() } },
            willSet: { key, _ in writes.append(key.name) })
        let feed = FeedStore(
            ["s": Data("\"x\"".utf8)], willGet: { _ in if breaks.value { throw StoreBroken() } },
            willWrite: { writes.append("\($0.count)") })
        for store in [twoFunctions, feed] as [any SettingsStore] {
            breaks.value = true
            let fixture = Fixture(store, persistDefault)
            #expect(fixture.persister.value == "d1")
            #expect(thrownCode { try fixture.persister.load() } == .readFailed)
            #expect(writes.all.isEmpty)
            #expect(fixture.problems.all.map(\.code) == [.readFailed])
            breaks.value = false
            #expect(fixture.persister.value == "x")
        }
        #expect(writes.all.isEmpty)
    }

    @Test("A default that cannot be stored is read nevertheless, and diagnosed once")
    func unstorable() throws {
        let refuses = Box(true)
        let store = FeedStore(willWrite: { _ in if refuses.value { throw StoreBroken() } })
        let fixture = Fixture(store, .whenNil)
        #expect(!fixture.persister.value.isEmpty)
        #expect(!fixture.persister.value.isEmpty)
        #expect(thrownCode { try fixture.persister.load() } == .writeFailed)
        #expect(fixture.problems.all.map(\.code) == [.writeFailed])
        fixture.persister.value = "x"
        #expect(fixture.problems.all.map(\.code) == [.writeFailed, .writeFailed])
        #expect(fixture.told.all.isEmpty)
        refuses.value = false
        let stored = fixture.persister.value
        #expect(try store.text("s") == "\"\(stored)\"")
    }

    @Test("A default without an encoded form is diagnosed, and thrown by load")
    func unencodable() throws {
        let store = MemoryStore()
        let problems = Recorder<SettingsError>()
        let setting = Setting<Double>("d", in: .defaults, default: .infinity)
        @Persisted(setting, in: .over(store, problems), persistDefault: .whenNil) var number
        #expect((number, number) == (.infinity, .infinity))
        #expect(thrownCode { try $number.load() } == .encodingFailed)
        #expect(problems.all.map(\.code) == [.encodingFailed])
        #expect(store.keys().isEmpty)
    }

    @Test("Updates store the default that they yield, as reading the value does", arguments: StoreKind.allCases)
    func updates(kind: StoreKind) async throws {
        let store = kind.make()
        let fixture = Fixture(store, .whenNil)
        var updates = fixture.persister.values.makeAsyncIterator()
        let first = await updates.next()
        #expect(try store.text("s") == "\"\(first ?? "")\"")
        #expect(fixture.persister.value == first)
        fixture.persister.value = "x"
        #expect(await updates.next() == "x")
    }

    @Test("A setting's own handle does not store its default, and sees one that was stored")
    func handle() {
        let settings = SettingsService.over(MemoryStore())
        let setting = Setting<Int>("n", in: .defaults, default: 5)
        @Persisted(setting, in: settings, persistDefault: .whenNil) var number
        #expect(settings.get(setting) == 5)
        #expect(!settings.isSet(setting))
        #expect(number == 5)
        #expect(settings.isSet(setting))
    }
}
