import Foundation
import Observation
import SettingsKitCore
import Testing

/// 8 writers and readers on one setting; every kind of listener must end on what is stored.
@Suite("Delivery with many writers (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct DeliveryConcurrencyTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private static let sentinel = -1

    /// Lets 8 threads write distinct values and 8 threads read, then writes the sentinel.
    private func storm(_ services: [SettingsService], rounds: Int) {
        let unwritten = Atomic(0)
        inParallel(16) { thread in
            let service = services[thread % services.count]
            for round in 0..<rounds {
                if thread < 8 {
                    service.set(number, to: thread * rounds + round + 1)
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
            service.observe(number) { log.append([$0.oldValue, $0.newValue]) }
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
        for log in callbacks {
            for (one, next) in zip(log.all, log.all.dropFirst()) where one[1] != next[0] {
                Issue.record("after \(one) came \(next)")
            }
            #expect(log.all.allSatisfy { $0[0] != $0[1] })
        }
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

    @Test("A live value that is tracked again after each signal ends on what is stored", arguments: StoreKind.allCases)
    func tracking(kind: StoreKind) async throws {
        let store = kind.make()
        let services = [SettingsService.over(store), SettingsService.over(store)]
        let live = services[0].value(number)
        let reader = Task {
            while true {
                let (signals, signal) = AsyncStream<Void>.makeStream()
                withObservationTracking {
                    _ = live.value
                } onChange: {
                    signal.yield()
                }
                // Tracking begins when the closure above has ended: only what is read now is sure to be followed.
                if live.value == Self.sentinel { return }
                for await _ in signals { break }
            }
        }
        storm(services, rounds: 400)
        services[1].set(number, to: Self.sentinel)
        await reader.value
        #expect(live.value == Self.sentinel)
    }

    @Test("Observations end on what is stored")
    func observations() async {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let settings = SettingsService.over(MemoryStore())
        let live = settings.value(number)
        let (started, start) = AsyncStream<Void>.makeStream()
        let reader = Task {
            for await value in Observations({ live.value }) {
                start.yield()
                if value == Self.sentinel { return true }
            }
            return false
        }
        for await _ in started { break }
        let writer = Task.detached { [number] in
            // Observation itself may miss a change between its reading and its listening; so there is always another.
            var beat = Self.sentinel
            while !Task.isCancelled {
                settings.set(number, to: beat == Self.sentinel ? 1 : Self.sentinel)
                beat = settings.get(number)
                await Task.yield()
            }
        }
        #expect(await reader.value)
        writer.cancel()
    }

    @Test("After set returns, its thread reads that value or a newer one", arguments: StoreKind.allCases)
    func readYourWrites(kind: StoreKind) {
        let store = kind.make()
        let services = (0..<4).map { _ in SettingsService.over(store) }
        let settings = (0..<8).map { Setting<Int>("n\($0)", in: .defaults, default: 0) }
        let texts = (0..<8).map { Setting<String>("t\($0)", in: .defaults, default: "") }
        inParallel(8) { thread in
            for round in 1...800 {
                services[thread % 4].set(settings[thread], to: round)
                services[(thread + 1) % 4].set(texts[thread], to: "\(round)")
                let numbers = services.map { $0.get(settings[thread]) }
                let strings = services.map { $0.get(texts[thread]) }
                // The other threads' settings are read to have more traffic in their boxes.
                _ = services[0].get(settings[(thread + 1) % 8])
                guard numbers.allSatisfy({ $0 == round }), strings.allSatisfy({ $0 == "\(round)" }) else {
                    Issue.record("round \(round) read \(numbers) \(strings)")
                    return
                }
            }
        }
    }

    @Test("What readers see of growing values never goes backwards", arguments: StoreKind.allCases)
    func monotonicReads(kind: StoreKind) {
        let store = kind.make()
        let services = [SettingsService.over(store), SettingsService.over(store)]
        let text = Setting<String>("text", in: .defaults, default: "0")
        let isDone = Atomic(false)
        inParallel(5) { thread in
            if thread == 0 {
                for round in 1...800 {
                    services[0].set(number, to: round)
                    services[1].set(text, to: "\(round)")
                }
                isDone.store(true, ordering: .releasing)
                return
            }
            var (last, lastText) = (0, 0)
            while !isDone.load(ordering: .acquiring) {
                let now = services[thread % 2].get(number)
                let nowText = Int(services[thread % 2].get(text)) ?? -1
                guard now >= last, nowText >= lastText else {
                    Issue.record("\(last) \(lastText) was followed by \(now) \(nowText)")
                    return
                }
                (last, lastText) = (now, nowText)
            }
        }
    }

    @Test("Listeners come and go while others write")
    func listenersComeAndGo() {
        let store = MemoryStore()
        let settings = SettingsService.over(store)
        inParallel(6) { thread in
            for round in 0..<500 {
                switch thread {
                case 0, 1: settings.set(number, to: thread * 1_000 + round)
                case 2: settings.observe(number) { _ in }.cancel()
                case 3: _ = settings.value(number).value
                case 4: _ = settings.changes(of: number)
                default: settings.observe { _ in }.cancel()
                }
            }
        }
        let told = Recorder<Int>()
        let subscription = settings.observe(number) { told.append($0.newValue) }
        settings.set(number, to: -5)
        #expect(settings.get(number) == -5)
        subscription.cancel()
    }
}
