import Foundation
import SettingsKitCore
import Testing

@Suite("Persisted properties on many threads (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct PersistedConcurrencyTests {
    @Test(
        "Properties over one store come and go on many threads, and share what they are over",
        arguments: StoreKind.allCases)
    func comingAndGoing(kind: StoreKind) throws {
        let store = kind.make()
        inParallel(8) { thread in
            for round in 1...150 {
                let property = Persisted(wrappedValue: 0, key: "n\(thread)", storedBy: store)
                let told = Recorder<String>()
                let subscription = property.projectedValue.observe(told.listener())
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

    @Test("Listeners that set, read, listen and cancel from many threads come to an end", arguments: StoreKind.allCases)
    func busyListeners(kind: StoreKind) async throws {
        let store = kind.make()
        let properties = (0..<3).map { Persisted(wrappedValue: 0.0, key: "n\($0)", storedBy: store) }
        let told = properties.map { _ in Recorder<String>() }
        let isOver = Atomic(false)
        let busy = Atomic(0)
        let subscriptions = properties.indices.map { number in
            let next = properties[(number + 1) % 3]
            let own = properties[number].projectedValue
            let log =
                told[number].listener() as @Sendable (SettingsService.Change<Double>) -> Void
            return own.observe { change in
                log(change)
                busy.add(1, ordering: .sequentiallyConsistent)
                defer { busy.subtract(1, ordering: .sequentiallyConsistent) }
                guard !isOver.load(ordering: .sequentiallyConsistent), change.newValue > 0 else { return }
                // Each tells the next of a smaller number.
                next.wrappedValue = (change.newValue / 2).rounded(.down)
                let inner = own.observe { _ in _ = next.wrappedValue }
                if Int(change.newValue) % 2 == 0 { own.value = -change.newValue }
                inner.cancel()
            }
        }
        inParallel(6) { thread in
            for round in 1...100 {
                let property = properties[(thread + round) % 3]
                property.wrappedValue = round % 10 == 0 ? .nan : Double(round * 8 + thread)
                _ = try? property.projectedValue.load()
                if round % 7 == 0 { property.projectedValue.reset() }
            }
        }
        // Some deliveries may still run, on another thread; from here on, no listener sets a value.
        isOver.store(true, ordering: .sequentiallyConsistent)
        try await until { busy.load(ordering: .sequentiallyConsistent) == 0 }
        for property in properties { property.wrappedValue = -1_000_000 }
        try await until { told.allSatisfy { $0.all.last?.hasSuffix("--1000000.0") ?? false } }
        for (number, log) in told.enumerated() {
            let values = log.all.map { change in change.split(separator: ".0").map(String.init) }
            for (one, next) in zip(values, values.dropFirst()) where "-" + next[0] != one[1] {
                Issue.record("property \(number): after \(one) came \(next)")
            }
            #expect(properties[number].wrappedValue == -1_000_000)
        }
        for subscription in subscriptions { subscription.cancel() }
    }
}
