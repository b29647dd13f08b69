import Foundation
import SettingsKitCore
import Testing

@Suite("MemoryStore")
struct MemoryStoreTests {
    private func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .defaults) }

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
