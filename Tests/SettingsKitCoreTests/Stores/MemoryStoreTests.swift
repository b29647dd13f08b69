import Foundation
import SettingsKitCore
import Testing

@Suite("MemoryStore and batches")
struct MemoryStoreTests {
    private func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .defaults) }

    private func entries(_ contents: [String: Data?]) -> [SettingsStoreBatch.Entry] {
        contents.map { .init(key: key($0.key), data: $0.value) }
    }

    /// The stores that carry out a batch in different ways.
    private func stores() -> [any SettingsStore] { StoreKind.allCases.map { $0.make() } }

    @Test("A store returns the bytes that were set, also empty ones, and nil removes them")
    func setAndGet() throws {
        for store in stores() {
            #expect(try store.get(key("a")) == nil)
            try store.set(key("a"), to: Data())
            #expect(try store.get(key("a")) == Data())
            try store.set(key("a"), to: nil)
            try store.set(key("a"), to: nil)
            #expect(try store.get(key("a")) == nil)
        }
    }

    @Test("A batch whose expectations do not hold writes nothing")
    func expectations() throws {
        for store in stores() {
            try store.set(key("a"), to: Data([1]))
            let writes = entries(["a": Data([2]), "b": Data([3])])
            #expect(try !store.apply(.init(writes: writes, expectations: [.init(key: key("a"), data: nil)])))
            #expect(try !store.apply(.init(writes: writes, expectations: [.init(key: key("b"), data: Data())])))
            #expect(try store.get(key("a")) == Data([1]))
            #expect(try store.get(key("b")) == nil)
            let held = entries(["a": Data([1]), "b": nil])
            #expect(try store.apply(.init(writes: writes, expectations: held)))
            #expect(try store.get(key("a")) == Data([2]))
            #expect(try store.get(key("b")) == Data([3]))
        }
    }

    @Test("A later write of a key in a batch replaces an earlier one, and one change is delivered")
    func laterWriteWins() throws {
        for kind in [StoreKind.memory, .cache, .twoFunctions] {
            let store = kind.make()
            let settings = SettingsService.over(store)
            let number = Setting<Int>("n", in: .defaults, default: 0)
            let told = Recorder<Int>()
            let subscription = settings.observe(number) { told.append($0.newValue) }
            settings.transaction { t in
                for value in 1...3 { t.set(number, to: value) }
            }
            #expect(told.all == [3])
            let writes = [8, 9].map { SettingsStoreBatch.Entry(key: number.key, data: Data("\($0)".utf8)) }
            #expect(try store.apply(.init(writes: writes)))
            #expect(settings.get(number) == 9)
            subscription.cancel()
        }
    }

    @Test("A memory store has its initial contents, lists them, and can be emptied")
    func contents() {
        let store = MemoryStore(["a": Data([1]), "é": Data([2])])
        #expect(Set(store.keys()) == ["a", "e\u{301}"])
        #expect(store.get(key("e\u{301}")) == Data([2]))
        store.removeAll()
        #expect(store.keys().isEmpty)
    }

    @Test("A store of two functions says what it does not offer")
    func defaults() throws {
        let store = TwoFunctionStore()
        #expect(throws: SettingsError.self) { try store.keys() }
        #expect(throws: SettingsError.self) { try store.removeAll() }
        try store.synchronize()
        #expect(store.feed == nil)
        #expect(store.storeDescription == "TwoFunctionStore")
    }
}
