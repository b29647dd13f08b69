import Foundation
import SettingsKitCore
import Testing

@Suite("Listeners of persisted properties", .timeLimit(Rounds.timeLimit))
struct PersisterListenersTests {
    private typealias Own = Box<SettingsService.Subscription?>

    @Test("Two properties over one store object receive each other's changes at once", arguments: StoreKind.allCases)
    func shared(kind: StoreKind) {
        let store = kind.make()
        @Persisted(key: "n", storedBy: store) var one = 0
        @Persisted(key: "n", storedBy: store, transformer: ListTransformer().append(transformer: JSONOnly())) var two =
            0
        let told = Recorder<String>()
        let subscriptions = [$one.observe(told.listener()), $two.observe(told.listener())]
        #expect((one, two) == (0, 0))
        for number in 1...3 {
            one = number * 2
            #expect(two == number * 2)
            two = number * 2 + 1
            #expect(one == number * 2 + 1)
        }
        one = 7
        #expect(told.all == ["0-2", "2-3", "3-4", "4-5", "5-6", "6-7"].flatMap { [$0, $0] })
        for subscription in subscriptions { subscription.cancel() }
    }

    /// Takes the list off again, so that values are stored as JSON has them.
    private struct JSONOnly: Transformer {
        func transformValue(_ value: Data) -> Data { value.dropFirst().dropLast() }
        func untransformValue(_ output: Data) -> Data { Data("[".utf8) + output + Data("]".utf8) }
    }

    @Test("A listener that changes its own value is notified after it has returned", arguments: StoreKind.allCases)
    func ownValue(kind: StoreKind) throws {
        let persisted = Persisted(wrappedValue: 0, key: "n", storedBy: kind.make())
        let log = Recorder<String>()
        let subscription = persisted.projectedValue.observe { [persister = persisted.projectedValue] change in
            log.append("begin \(change.newValue)")
            if change.newValue < 3 {
                persister.value += 1
                #expect(persister.value == change.newValue + 1)
            }
            log.append("end \(change.newValue)")
        }
        persisted.wrappedValue = 1
        #expect(log.all == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
        #expect(try persisted.projectedValue.load() == 3)
        subscription.cancel()
    }

    @Test("A listener added inside a listener receives later changes only", arguments: StoreKind.allCases)
    func addedInside(kind: StoreKind) {
        let persister = Persisted(wrappedValue: 0.0, key: "n", storedBy: kind.make()).projectedValue
        let late = Recorder<String>()
        let inner = Recorder<SettingsService.Subscription>()
        let subscription = persister.observe { _ in
            guard inner.count == 0 else { return }
            inner.append(persister.observe(late.listener()))
        }
        persister.value = 1
        #expect(late.all.isEmpty)
        persister.value = .nan
        persister.value = 2
        #expect(late.all == ["1.0-2.0"])
        subscription.cancel()
        for subscription in inner.all { subscription.cancel() }
    }

    @Test("Cancelling inside a listener, its own and another's, ends both at once", arguments: StoreKind.allCases)
    func cancelInside(kind: StoreKind) {
        @Persisted(key: "n", storedBy: kind.make()) var number = 0
        let told = Recorder<String>()
        let (own, other) = (Own(nil), Own(nil))
        own.value = $number.observe { _ in
            told.append("own")
            own.take(replacingWith: nil)?.cancel()
            other.take(replacingWith: nil)?.cancel()
        }
        other.value = $number.observe(told.listener())
        number = 1
        number = 2
        #expect(told.all == ["own"])
    }

    @Test("Listening ends with the subscription's life; until then it keeps property and store")
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
        store?.set(.init("n", scope: .defaults), to: Data("3".utf8))
        #expect(told.all.last == "2-3" && subscription != nil)
        subscription = nil
        #expect(store == nil)
        #expect(told.count == 4)
    }

    @Test(
        "The sequence yields the value, then the newest one after each change, and ends with its task",
        arguments: StoreKind.allCases)
    func updates(kind: StoreKind) async {
        let store = kind.make()
        let (updates, persister) = {
            let persister = Persisted(wrappedValue: 0, key: "n", storedBy: store).projectedValue
            return (persister.values, persister)
        }()
        persister.value = 1
        var iterator = updates.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        persister.value = 2
        persister.value = 3
        #expect(await iterator.next() == 3)
        let task = Task {
            var last = 0
            for await value in updates { last = value }
            return last
        }
        task.cancel()
        #expect([0, 3].contains(await task.value))
    }

    @Test("A sequence outlives the property that it was asked of", arguments: StoreKind.allCases)
    func outliving(kind: StoreKind) async {
        let store = kind.make()
        var iterator = Persisted(wrappedValue: 0, key: "n", storedBy: store).projectedValue.values.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        store.set(Setting<Int>("n", in: .shared, default: 0), to: 4)
        #expect(await iterator.next() == 4)
    }
}
