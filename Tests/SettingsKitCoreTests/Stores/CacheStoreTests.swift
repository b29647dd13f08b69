import Foundation
import SettingsKitCore
import Testing

@Suite("CacheStore")
struct CacheStoreTests {
    private func key(_ name: String) -> SettingsService.StorageKey { .init(name, scope: .defaults) }
    private func bytes(_ count: Int) -> Data { Data(repeating: 1, count: count) }

    @Test("The least recently used value is evicted first; reading counts as use, checking does not")
    func order() {
        let store = CacheStore(countLimit: 3)
        for name in ["a", "b", "c"] { store.set(key(name), to: bytes(1)) }
        _ = store.get(key("a"))
        _ = store.apply(.init(writes: [], expectations: [.init(key: key("b"), data: bytes(1))]))
        store.set(key("d"), to: bytes(1))
        #expect(store.keys().sorted() == ["a", "c", "d"])
        store.set(key("c"), to: bytes(2))
        store.set(key("e"), to: bytes(1))
        #expect(store.keys().sorted() == ["c", "d", "e"])
        store.set(key("d"), to: nil)
        store.set(key("f"), to: bytes(1))
        #expect(store.keys().sorted() == ["c", "e", "f"])
    }

    @Test("Names and values together keep the bound in bytes")
    func byteBound() {
        let store = CacheStore(countLimit: 1_000, byteLimit: 100)
        for number in 0..<50 {
            store.set(key("k\(number % 10)"), to: bytes(number))
            let size = store.keys().reduce(0) { $0 + $1.utf8.count + (store.get(key($1))?.count ?? 0) }
            #expect(size <= 100)
            #expect(store.get(key("k\(number % 10)"))?.count == number)
        }
    }

    @Test("A value larger than the bound is evicted at once, and evicts no other")
    func oversize() {
        let store = CacheStore(byteLimit: 10)
        store.set(key("a"), to: bytes(2))
        store.set(key("big"), to: bytes(100))
        #expect(store.get(key("big")) == nil)
        #expect(store.get(key("a")) == bytes(2))
        store.set(key("b"), to: bytes(3))
        #expect(store.get(key("b")) == bytes(3))
    }

    @Test("Listeners receive each evicted value, with the origin external")
    func lossesAreTold() {
        let settings = SettingsService.over(CacheStore(countLimit: 2))
        let numbers = (0..<3).map { Setting<Int>("n\($0)", in: .defaults, default: 0) }
        let log = Recorder<String>()
        let subscriptions = numbers.map { number in
            settings.observe(number) { log.append("\($0.key.name) \($0.oldValue)-\($0.newValue) \($0.origin)") }
        }
        for (position, number) in numbers.enumerated() { settings.set(number, to: position + 1) }
        #expect(log.all == ["n0 0-1 local", "n1 0-2 local", "n2 0-3 local", "n0 1-0 external"])
        #expect(settings.get(numbers[0]) == 0)
        #expect(settings.get(numbers[2]) == 3)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Reading through a service counts as use")
    func serviceReads() {
        let settings = SettingsService.over(CacheStore(countLimit: 2))
        let numbers = (0..<3).map { Setting<Int>("n\($0)", in: .defaults, default: 0) }
        settings.set(numbers[0], to: 1)
        settings.set(numbers[1], to: 2)
        _ = settings.get(numbers[0])
        settings.set(numbers[2], to: 3)
        #expect(numbers.map { settings.get($0) } == [1, 0, 3])
    }

    @Test("10,000 random operations agree with a simple model")
    func model() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let store = CacheStore(countLimit: 8, byteLimit: 60)
        var model: [(name: String, data: Data)] = []
        for _ in 0..<10_000 {
            let name = "k\(Int.random(in: 0..<16, using: &generator))"
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                store.set(key(name), to: nil)
                model.removeAll { $0.name == name }
            case 1:
                let data = store.get(key(name))
                #expect(data == model.first { $0.name == name }?.data, "seed \(seed)")
                if let position = model.firstIndex(where: { $0.name == name }) {
                    model.append(model.remove(at: position))
                }
            default:
                let data = bytes(Int.random(in: 0..<20, using: &generator))
                store.set(key(name), to: data)
                model.removeAll { $0.name == name }
                model.append((name, data))
                while model.count > 8 || model.reduce(0, { $0 + $1.name.utf8.count + $1.data.count }) > 60 {
                    model.removeFirst()
                }
            }
            #expect(Set(store.keys()) == Set(model.map(\.name)), "seed \(seed)")
        }
    }

    @Test("Limits that are not positive stop the program")
    func limits() async {
        await #expect(processExitsWith: .failure) { _ = CacheStore(countLimit: 0) }
        await #expect(processExitsWith: .failure) { _ = CacheStore(byteLimit: -1) }
    }

    @Test("Removing everything from a cache notifies all listeners")
    func removeAll() {
        let store = CacheStore()
        let settings = SettingsService.over(store)
        let number = Setting<Int>("n", in: .defaults, default: 0)
        settings.set(number, to: 1)
        let told = Recorder<Int>()
        let subscription = settings.observe(number) { told.append($0.newValue) }
        store.removeAll()
        store.removeAll()
        #expect(told.all == [0])
        #expect(store.keys().isEmpty)
        subscription.cancel()
    }
}
