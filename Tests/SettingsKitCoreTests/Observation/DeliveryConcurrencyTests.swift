import Foundation
import SettingsKitCore
import Testing

/// 8 writers and readers on one setting; every kind of listener must end on what is stored.
@Suite("Delivery with many writers (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct DeliveryConcurrencyTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private static let sentinel = -1

    /// Lets 8 threads write distinct values, 8 threads read, and one add and cancel listeners.
    private func storm(_ services: [SettingsService], rounds: Int) {
        let unwritten = Atomic(0)
        inParallel(17) { thread in
            let service = services[thread % services.count]
            for round in 0..<rounds {
                if thread < 8 {
                    service.set(number, to: thread * rounds + round + 1)
                } else if thread == 16 {
                    for subscription in [service.observe(number) { _ in }, service.observe { _ in }] {
                        subscription.cancel()
                    }
                    _ = service.changes(of: number)
                } else if !(0...8 * rounds).contains(service.get(number)) {
                    unwritten.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(unwritten.load(ordering: .relaxed) == 0)
    }

    @Test("Changes chain in commit order and end on what is stored", arguments: StoreKind.allCases)
    func changesChain(kind: StoreKind) async throws {
        let store = kind.make()
        let services = [SettingsService.over(store), SettingsService.over(store)]
        let callbacks = services.map { _ in Recorder<[Int]>() }
        let subscriptions = zip(services, callbacks).map { service, log in
            service.observe(number, log.chain())
        }
        let stream = services[0].changes(of: number)
        let reader = Task {
            var previous = 0
            var broken = 0
            for await change in stream {
                if change.oldValue != previous { broken += 1 }
                previous = change.newValue
                if change.newValue == Self.sentinel { break }
            }
            return broken
        }
        storm(services, rounds: 400)
        services[1].set(number, to: Self.sentinel)
        try await until { callbacks.allSatisfy { $0.all.last?.last == Self.sentinel } }
        for log in callbacks { log.expectChain(from: 0) }
        #expect(await reader.value == 0)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Streams of values and sets end on what is stored", arguments: StoreKind.allCases)
    func streamsEnd(kind: StoreKind) async throws {
        let store = kind.make()
        let services = [SettingsService.over(store), SettingsService.over(store)]
        let values = services.map { $0.values(of: number) }
        let sets = services[0].changes(in: .defaults)
        let readers = values.map { stream in
            Task {
                for await value in stream where value == Self.sentinel { return value }
                return 0
            }
        }
        let group = Task { [number] in
            for await _ in sets where services[0].get(number) == Self.sentinel { return true }
            return false
        }
        storm(services, rounds: 400)
        services[0].set(number, to: Self.sentinel)
        for reader in readers { #expect(await reader.value == Self.sentinel) }
        #expect(await group.value)
    }

    @Test(
        "After set returns, every service reads that value or a newer one, and no reader goes back",
        arguments: StoreKind.allCases)
    func reads(kind: StoreKind) {
        let store = kind.make()
        let services = (0..<4).map { _ in SettingsService.over(store) }
        let numbers = (0..<8).map { Setting<Int>("n\($0)", in: .defaults, default: 0) }
        let texts = (0..<8).map { Setting<String>("t\($0)", in: .defaults, default: "0") }
        inParallel(8) { thread in
            let next = (thread + 1) % 8
            var (last, lastText) = (0, 0)
            for round in 1...800 {
                services[thread % 4].set(numbers[thread], to: round)
                services[next % 4].set(texts[thread], to: "\(round)")
                let own = services.map { [$0.get(numbers[thread]), Int($0.get(texts[thread]))] }
                let (other, otherText) = (services[0].get(numbers[next]), Int(services[1].get(texts[next])) ?? -1)
                if own.contains(where: { $0 != [round, round] }) || other < last || otherText < lastText {
                    Issue.record("Round \(round): \(own); after \(last) and \(lastText) \(other) and \(otherText)")
                    return
                }
                (last, lastText) = (other, otherText)
            }
        }
    }
}
