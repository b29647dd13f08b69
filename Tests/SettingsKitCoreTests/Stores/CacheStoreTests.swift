import Foundation
import SettingsKitCore
import Testing

@Suite("CacheStore")
struct CacheStoreTests {
    private func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .defaults) }
    private func bytes(_ count: Int) -> Data { Data(repeating: 1, count: count) }

    @Test("When it is full, the oldest half goes, and a value is as old as its last set")
    func order() {
        let store = CacheStore(countLimit: 4)
        for name in ["a", "b", "c", "d", "a"] { store.set(key(name), to: bytes(1)) }
        #expect(store.keys().sorted() == ["a", "b", "c", "d"])
        _ = store.get(key("b"))
        store.set(key("e"), to: bytes(1))
        #expect(store.keys().sorted() == ["a", "d", "e"])
        store.set(key("d"), to: nil)
        for name in ["f", "g"] { store.set(key(name), to: bytes(1)) }
        #expect(store.keys().sorted() == ["a", "e", "f", "g"])
    }

    @Test("Names and values together keep the bound in bytes, and the value that was set last is never dropped")
    func byteBound() {
        let store = CacheStore(countLimit: 1_000, byteLimit: 100)
        for number in 0..<120 {
            store.set(key("k\(number % 10)"), to: bytes(number))
            let size = store.keys().reduce(0) { $0 + $1.utf8.count + (store.get(key($1))?.count ?? 0) }
            #expect(size <= 100 || store.keys().count == 1)
            #expect(store.get(key("k\(number % 10)"))?.count == number)
        }
    }

    @Test("Listeners receive each dropped value, with the origin external")
    func losses() {
        let settings = SettingsService.over(CacheStore(countLimit: 2))
        let numbers = (0..<3).map { Setting<Int>("n\($0)", in: .defaults, default: 0) }
        let log = Recorder<String>()
        let subscriptions = numbers.map { number in
            settings.observe(number) { log.append("\($0.key.name) \($0.oldValue)-\($0.newValue) \($0.origin)") }
        }
        for (position, number) in numbers.enumerated() { settings.set(number, to: position + 1) }
        #expect(log.all == ["n0 0-1 local", "n1 0-2 local", "n2 0-3 local", "n0 1-0 external"])
        #expect(numbers.map { settings.get($0) } == [0, 2, 3])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Limits that are not positive stop the program")
    func limits() async {
        await #expect(processExitsWith: .failure) { _ = CacheStore(countLimit: 0) }
        await #expect(processExitsWith: .failure) { _ = CacheStore(byteLimit: -1) }
    }
}
