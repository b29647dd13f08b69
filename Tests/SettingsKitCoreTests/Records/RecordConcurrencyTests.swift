import Foundation
import SettingsKitCore
import Testing

@Suite("Records on many threads (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct RecordConcurrencyTests {
    private struct Counters: SettingsRecord, Equatable {
        @SettingField(validation: .range(0...10_000)) var left = 0
        @SettingField(help: "The last round.") var right = 0
        static let empty = Counters()
    }

    @Test("Updates on 6 threads lose none, and listeners end on the last value", arguments: StoreKind.allCases, [1, 3])
    func counting(kind: StoreKind, storageCount: Int) async throws {
        let store = kind.make()
        let records = try (0..<storageCount).map { number in
            // Every other one over its own service.
            try number.isMultiple(of: 2)
                ? SettingsStorage<Counters>(name: "pair", in: SettingsService.over(store))
                : SettingsStorage<Counters>(name: "pair", in: store)
        }
        let (lefts, rights) = (Recorder<Int>(), Recorder<Int>())
        let subscriptions = [
            records[0].observe(\.left) { lefts.append($0) }, records[0].observe(\.right) { rights.append($0) },
        ]
        let rounds = 60
        inParallel(6) { thread in
            let record = records[thread % storageCount]
            for round in 1...rounds {
                if round.isMultiple(of: 2) {
                    record.update(\.left) { $0 += 1 }
                } else {
                    record.update { $0.left += 1 }
                }
                // Changes of other fields are no conflict that could lose anything.
                if thread == 0 { record.right = round }
            }
        }
        for record in records { #expect(record.get() == Counters(left: 6 * rounds, right: rounds)) }
        // A task may still be delivering the last changes.
        try await until { lefts.all.last == 6 * rounds && rights.all.last == rounds }
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Fields that are changed together are never seen apart, however they are read", arguments: [true, false])
    func noHalves(hasOwnService: Bool) async throws {
        let store = MemoryStore()
        let writers = try SettingsStorage<Pair>(name: "pair", in: store)
        let readers = try hasOwnService ? SettingsStorage<Pair>(name: "pair", in: SettingsService.over(store)) : writers
        let settings = SettingsService.over(store)
        let stream = readers.values
        let reading = Task {
            for await record in stream {
                #expect(record.agrees)
                if record.left == -1 { return }
            }
        }
        inParallel(5) { thread in
            for round in 1...200 {
                switch thread {
                case 0: writers.update { $0.become(round) }
                case 1: settings.transaction { Pair.set(-round - 1, in: &$0) }
                case 2: if round.isMultiple(of: 10) { writers.reset() }
                case 3: #expect(readers.get().agrees)
                default:
                    do {
                        #expect(try readers.load().agrees)
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        writers.update { $0.become(-1) }
        await reading.value
    }

    @Test(
        "Of a store that changes each time that it is read, a record is read, and loaded as of one moment",
        arguments: [true, false])
    func busyStore(isLoadedFirst: Bool) throws {
        let number = Box(0)
        let box = Box<FeedStore?>(nil)
        let store = FeedStore(willGet: { _ in
            number.value += 1
            box.value?.changeFromOutside([
                ("pair:left", "\(number.value)"), ("pair:right", "\(number.value)"),
                ("pair:label", "\"number \(number.value)\""),
            ])
        })
        box.value = store
        let record = try SettingsStorage<Pair>(name: "pair", in: SettingsService.over(store))
        if !isLoadedFirst { #expect(record.get().left > 0) }
        #expect(try record.load().agrees)
        #expect(record.get().agrees && record.left > 0)
        box.value = nil
    }
}
