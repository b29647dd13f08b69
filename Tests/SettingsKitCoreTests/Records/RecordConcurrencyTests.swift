import Foundation
import SettingsKitCore
import Testing

@Suite("Records on many threads (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct RecordConcurrencyTests {
    @Test("Updates on 6 threads lose none, through one storage or several", arguments: StoreKind.allCases, [1, 3])
    func counting(kind: StoreKind, storageCount: Int) throws {
        let store = kind.make()
        let records = try (0..<storageCount).map { number in
            // Every other one over a service of its own.
            try number.isMultiple(of: 2)
                ? SettingsStorage<Pair>(name: "pair", in: SettingsService.over(store))
                : SettingsStorage<Pair>(name: "pair", in: store)
        }
        let rounds = 60
        inParallel(6) { thread in
            let record = records[thread % storageCount]
            for round in 0..<rounds {
                if round.isMultiple(of: 2) {
                    record.update(\.left) { $0 += 1 }
                } else {
                    record.update { $0.left += 1 }
                }
                // Changes of other fields are no conflict that could lose anything.
                if thread == 0 { record.right = round }
            }
        }
        for record in records { #expect(record.get() == Pair(left: 6 * rounds, right: rounds - 1)) }
    }

    @Test("Setting different fields with attributes on 6 threads loses none, and field listeners end on the last value")
    func declaredFields() async throws {
        let record = try SettingsStorage<DeclaredFields>(in: MemoryStore())
        let paths: [any WritableKeyPath<DeclaredFields, Int> & Sendable] = [\.a, \.b, \.c, \.d, \.e, \.f]
        let ends = paths.map { _ in Recorder<Int>() }
        let subscriptions = zip(paths, ends).map { path, end in record.observe(path) { end.append($0) } }
        let rounds = 200
        inParallel(6) { thread in
            for round in 1...rounds { record.set(paths[thread], to: round) }
        }
        let all = rounds
        #expect(record.get() == DeclaredFields(a: all, b: all, c: all, d: all, e: all, f: all))
        // A task may still be delivering the last changes.
        for end in ends { #expect(try await eventually { end.all.last == rounds }) }
        withExtendedLifetime(subscriptions) {}
    }

    private struct DeclaredFields: SettingsRecord, Equatable {
        @SettingField(validation: .range(0...1_000)) var a = 0
        @SettingField(help: "The second number.") var b = 0
        @SettingField var c = 0
        @SettingField var d = 0
        @SettingField var e = 0
        @SettingField var f = 0
        static let empty = DeclaredFields()
    }

    @Test("Fields that are changed together are never seen apart, however they are read", arguments: [true, false])
    func noHalves(hasOwnService: Bool) async throws {
        let store = MemoryStore()
        let writers = try SettingsStorage<Pair>(name: "pair", in: store)
        let readers = try hasOwnService ? SettingsStorage<Pair>(name: "pair", in: SettingsService.over(store)) : writers
        let settings = SettingsService.over(store)
        let (left, right) = (
            Setting<Int>("pair:left", in: .defaults, default: 0), Setting<Int>("pair:right", in: .defaults, default: 0)
        )
        let label = Setting<String>("pair:label", in: .defaults, default: "none")
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
                case 1:
                    settings.transaction { t in
                        t.set(left, to: -round - 1)
                        t.set(right, to: -round - 1)
                        t.set(label, to: "number \(-round - 1)")
                    }
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

    @Test("A reader whose store changes each time that it is asked sees no half of a change, and comes to an end")
    func busyStore() throws {
        let number = Box(0)
        let isBusy = Box(false)
        let box = Box<FeedStore?>(nil)
        let store = FeedStore(willGet: { _ in
            guard isBusy.value else { return }
            number.value += 1
            box.value?.changeFromOutside([
                ("pair:left", "\(number.value)"), ("pair:right", "\(number.value)"),
                ("pair:label", "\"number \(number.value)\""),
            ])
        })
        box.value = store
        isBusy.value = true
        let record = try SettingsStorage<Pair>(name: "pair", in: SettingsService.over(store))
        #expect(record.get().agrees)
        #expect(try record.load().agrees)
        record.update { $0.become(-5) }
        #expect(record.get().left == -5)
        isBusy.value = false
        box.value = nil
    }

    @Test("Each of many streams ends on the record that is stored")
    func lastRecord() async throws {
        let store = MemoryStore()
        let records = try (0..<3).map { _ in try SettingsStorage<Pair>(name: "pair", in: SettingsService.over(store)) }
        let streams = (0..<9).map { records[$0 % 3].values }
        let readers = streams.map { stream in
            Task {
                for await record in stream where record.left == 4 * 50 { return record }
                return Pair.empty
            }
        }
        inParallel(4) { thread in
            for _ in 0..<50 { records[thread % 3].update { $0.become($0.left + 1) } }
        }
        for reader in readers { #expect(await reader.value.agrees) }
    }

    @Test("Storages come and go while others write")
    func comingAndGoing() throws {
        let settings = SettingsService.over(MemoryStore())
        inParallel(4) { thread in
            do {
                for round in 1...60 {
                    let record = try SettingsStorage<Pair>(name: "pair", in: settings)
                    let stream = record.values
                    record.update { $0.become(thread * 100 + round) }
                    #expect(record.get().agrees)
                    withExtendedLifetime(stream) {}
                }
            } catch {
                Issue.record(error)
            }
        }
    }
}
