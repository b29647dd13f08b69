import Foundation
import SettingsKitCore
import Testing

@Suite("Transactions that only read")
struct ReadingTransactionTests {
    private let a = Setting<Int>("a", in: .defaults, default: 0)
    private let b = Setting<Int>("b", in: .defaults, default: 0)

    private struct Mixed: Error {}

    /// Changes both settings together in the middle of the first run of a closure.
    private final class Interference: Sendable {
        let store: any SettingsStore
        let runs = Box(0)

        init(_ store: any SettingsStore) { self.store = store.serialized }

        func write(_ text: String) {
            let writes = ["a", "b"].map { SettingsStoreBatch.Entry(key: key($0), data: Data(text.utf8)) }
            do { #expect(try store.apply(.init(writes: writes))) } catch { Issue.record(error) }
        }

        /// Called by the closure after it has read one of the two.
        func happen() {
            runs.value += 1
            if runs.value == 1 { write("2") }
        }
    }

    private func pair(
        _ t: inout SettingsService.Transaction, _ interference: Interference
    ) -> [Int] {
        let first = t.get(a)
        interference.happen()
        return [first, t.get(b)]
    }

    @Test("It returns values of one moment", arguments: StoreKind.allCases)
    func snapshot(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        for isThrowing in [true, false] {
            let interference = Interference(store)
            interference.write("1")
            let values =
                isThrowing
                ? try settings.save { pair(&$0, interference) } : settings.transaction { pair(&$0, interference) }
            #expect(values == [2, 2] && interference.runs.value == 2)
        }
    }

    @Test("It returns values of one moment of a store with layers, followed or not", arguments: [true, false])
    func layers(isFollowed: Bool) throws {
        let system: any SettingsStore = isFollowed ? MemoryStore() : TwoFunctionStore()
        for isWritable in [true, false] {
            let user: any SettingsStore = isFollowed ? MemoryStore() : TwoFunctionStore()
            let layered = try LayeredStore([
                .locked(MemoryStore(), name: "managed"), .arguments([]), .writable(user),
                .fallback(system, name: "system"),
            ])
            let settings = SettingsService.over(layered)
            let interference = Interference(isWritable ? user : system)
            interference.write("1")
            #expect(try settings.save { pair(&$0, interference) } == [2, 2])
        }
    }

    @Test("A closure that throws because of values of two moments runs again", arguments: StoreKind.allCases)
    func throwing(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let interference = Interference(store)
        interference.write("1")
        let sum = try settings.save { t throws in
            let values = pair(&t, interference)
            if values[0] != values[1] { throw Mixed() }
            return values[0]
        }
        #expect(sum == 2 && interference.runs.value == 2)
    }

    @Test("So does one that writes, one that prepares an overriding service, and a step of a migration")
    func siblings() throws {
        let store = MemoryStore()
        let settings = SettingsService.over(store)
        let c = Setting<Int>("c", in: .defaults, default: 0)

        let writing = Interference(store)
        writing.write("1")
        try settings.save { t throws in
            let values = pair(&t, writing)
            t.set(c, to: values[0])
            if values[0] != values[1] { throw Mixed() }
        }
        #expect(settings.get(c) == 2)

        let overriding = Interference(store)
        overriding.write("1")
        let preview = try settings.overriding { (t: inout SettingsService.Transaction) throws in
            let values = pair(&t, overriding)
            if values[0] != values[1] { throw Mixed() }
            t.set(c, to: 3)
        }
        #expect(preview.get(c) == 3 && overriding.runs.value == 2)

        let migrating = Interference(store)
        migrating.write("1")
        try settings.migrate([
            .version("1") { t in
                let values = pair(&t, migrating)
                if values[0] != values[1] { throw Mixed() }
                t.set(c, to: 4)
            }
        ])
        #expect(settings.get(c) == 4 && migrating.runs.value == 2)
    }

    @Test("The error of a closure is thrown at once if what it has read is of one moment")
    func ownError() {
        let settings = SettingsService.over(MemoryStore(["a": "1", "b": "2"]))
        let runs = Box(0)
        #expect(throws: Mixed.self) {
            try settings.save { t throws in
                runs.value += 1
                if t.get(a) != t.get(b) { throw Mixed() }
            }
        }
        #expect(runs.value == 1)
    }

    @Test("A store is asked once, by a batch without writes, and not about a single value")
    func question() {
        let asked = Recorder<Int>()
        let store = FeedStore(willWrite: { asked.append($0.count) })
        let settings = SettingsService.over(store)
        _ = settings.transaction { $0.get(a) }
        #expect(asked.all.isEmpty)
        _ = settings.transaction { $0.get(a) + $0.get(b) + $0.get(a) }
        #expect(asked.all == [0])
    }

    /// What stores do with a batch without writes that were written before a batch could be a question.
    enum OldAnswer: CaseIterable { case throwing, refusing }

    /// A store that knows only batches that write.
    private struct OldStore: SettingsStore {
        let base = MemoryStore()
        let answer: OldAnswer

        func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }
        func set(_ key: SettingsService.StorageKey, to data: Data?) { base.set(key, to: data) }

        func apply(_ batch: SettingsStoreBatch) throws -> Bool {
            if !batch.writes.isEmpty { return base.apply(batch) }
            if answer == .throwing { throw SettingsError(.readOnly) }
            return false
        }
    }

    @Test("A store that refuses batches without writes is read again instead", arguments: OldAnswer.allCases)
    func oldStore(answer: OldAnswer) throws {
        let store = OldStore(answer: answer)
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(store, problems)
        let interference = Interference(store.base)
        interference.write("1")
        #expect(try settings.save { pair(&$0, interference) } == [2, 2])
        let values = settings.transaction { [$0.get(a), $0.get(b)] }
        #expect(values == [2, 2])
        #expect(throws: Mixed.self) {
            try settings.save { t throws in
                _ = (t.get(a), t.get(b))
                throw Mixed()
            }
        }
        #expect(problems.all.isEmpty)
    }

    @Test("What a store that only reads has is compared, too, when another store is written")
    func readOnlyStoreBesideAnother() throws {
        /// As a file that is only read.
        struct ReadOnlyStore: SettingsStore {
            let base: MemoryStore

            var feed: SettingsStoreFeed? { base.feed }
            func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }
            func set(_ key: SettingsService.StorageKey, to data: Data?) throws { throw SettingsError(.readOnly) }
            func apply(_ batch: SettingsStoreBatch) throws -> Bool {
                if batch.writes.isEmpty { return base.apply(batch) }
                throw SettingsError(.readOnly)
            }
        }
        let (base, own) = (MemoryStore(), MemoryStore())
        let settings = SettingsService(
            stores: [.defaults: ReadOnlyStore(base: base), .shared: own], diagnosticSink: .none)
        let far = Setting<Int>("far", in: .shared, default: 0)
        let interference = Interference(base)
        interference.write("1")
        try settings.save { t in
            let value = t.get(a)
            interference.happen()
            t.set(far, to: value)
        }
        #expect(settings.get(far) == 2 && interference.runs.value == 2)
    }

    @Test("It is refused by a store that is not open yet")
    func storeThatIsNotOpen() {
        let reason = SettingsError(.storeUnavailable, store: "late")
        let timing = RecoveringStore.Timing(schedule: { _, _ in }, wait: { _ in })
        let standIn = RecoveringStore(reason: reason, description: "stand-in", timing: timing) { throw reason }
        let settings = SettingsService(stores: [.defaults: standIn], diagnosticSink: .none)
        settings.set(a, to: 3)
        #expect(thrownCode { try settings.save { [$0.get(a), $0.get(b)] } } == .storeUnavailable)
        #expect(settings.transaction { [$0.get(a), $0.get(b)] } == nil)
    }
}
