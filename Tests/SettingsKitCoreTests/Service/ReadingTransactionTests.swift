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

    private func equalPair(
        _ t: inout SettingsService.Transaction, _ interference: Interference
    ) throws -> [Int] {
        let values = pair(&t, interference)
        if values[0] != values[1] { throw Mixed() }
        return values
    }

    @Test(
        "It returns values of one moment, of a store or of layers, and a closure that throws because of others runs again",
        arguments: StoreKind.allCases, [true, false])
    func snapshot(kind: StoreKind, isLayered: Bool) throws {
        let store = kind.make()
        let layered = try LayeredStore([.writable(MemoryStore()), .arguments([]), .fallback(store, name: "system")])
        let settings = SettingsService.over(isLayered ? layered : store)
        let reads: [(Interference) throws -> [Int]?] = [
            { interference in settings.transaction { pair(&$0, interference) } },
            { interference in try settings.save { pair(&$0, interference) } },
            { interference in try settings.save { t throws in try equalPair(&t, interference) } },
        ]
        for read in reads {
            let interference = Interference(store)
            interference.write("1")
            let values = try read(interference)
            #expect(values == [2, 2] && interference.runs.value == 2)
        }
    }

    @Test("So does one that writes, one that prepares an overriding service, and a step of a migration")
    func siblings() throws {
        let store = MemoryStore()
        let settings = SettingsService.over(store)
        let c = Setting<Int>("c", in: .defaults, default: 0)
        let copy: @Sendable (inout SettingsService.Transaction, Interference) throws -> Void = { t, interference in
            t.set(c, to: try equalPair(&t, interference)[0])
        }
        let writes: [(Interference) throws -> SettingsService] = [
            { interference in
                try settings.save { t throws in try copy(&t, interference) }
                return settings
            },
            { interference in
                try settings.overriding { (t: inout SettingsService.Transaction) throws in try copy(&t, interference) }
            },
            { interference in
                try settings.migrate([.version("1") { t in try copy(&t, interference) }])
                return settings
            },
        ]
        for write in writes {
            settings.reset(c)
            let interference = Interference(store)
            interference.write("1")
            #expect(try write(interference).get(c) == 2 && interference.runs.value == 2)
        }
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

    @Test("What one store holds is compared, too, when another store is written")
    func twoStores() throws {
        let base = MemoryStore()
        let settings = SettingsService(stores: [.defaults: base, .shared: MemoryStore()], diagnosticSink: .none)
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
        let standIn = RecoveringStore(reason: reason, description: "stand-in", schedule: { _, _ in }) { throw reason }
        let settings = SettingsService(stores: [.defaults: standIn], diagnosticSink: .none)
        settings.set(a, to: 3)
        #expect(thrownCode { try settings.save { [$0.get(a), $0.get(b)] } } == .storeUnavailable)
        #expect(settings.transaction { [$0.get(a), $0.get(b)] } == nil)
    }
}
