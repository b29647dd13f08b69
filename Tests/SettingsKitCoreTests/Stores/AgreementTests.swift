import Foundation
import SettingsKitCore
import Testing

/// A store that notes of each write whether its caller waits for agreement.
private final class NotingStore: SettingsStore {
    private let base = MemoryStore()
    private let notes = Mutex<[Bool]>([])

    var feed: SettingsStoreFeed? { base.feed }

    func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }

    func set(_ key: SettingsService.StorageKey, to data: Data?) {
        notes.withLock { $0.append(false) }
        base.set(key, to: data)
    }

    func apply(_ batch: SettingsStoreBatch) -> Bool {
        if !batch.writes.isEmpty { notes.withLock { $0.append(batch.options.waitsForAgreement) } }
        return base.apply(batch)
    }

    func keys() -> [String] { base.keys() }

    /// Whether the callers of the writes since the last call have waited.
    func takeNotes() -> [Bool] {
        notes.withLock { notes in
            defer { notes = [] }
            return notes
        }
    }
}

private enum Home: SettingsNamespace {
    static let id = "home"
    static func preCommitHook() {}
}

private enum Plain: SettingsNamespace { static let id = "plain" }

private struct Hours: SettingsRecord {
    var first = 0
    var last: Int?
    static let empty = Hours()
}

@Suite("Whether a caller waits for agreement")
struct AgreementTests {
    private let count = Setting<Int>("count", in: .defaults, default: 0)
    private let room = Setting<Int>("room", in: .defaults, namespace: Home.self, default: 0)
    private let plain = Setting<Int>("plain", in: .defaults, namespace: Plain.self, default: 0)
    private let once = Setting<Int>("once", in: .defaults, default: .once { 7 })

    private func services() throws -> [(store: NotingStore, settings: SettingsService)] {
        let (bare, layered, opened) = (NotingStore(), NotingStore(), NotingStore())
        let layers = try LayeredStore([.locked(MemoryStore(), name: "managed"), .writable(layered)])
        let recovering = RecoveringStore(
            reason: SettingsError(.storeUnavailable), description: "test",
            timing: .init(schedule: { _, _ in }, wait: { _ in }), open: { opened })
        let service = SettingsService.over(recovering)
        // Opens the store.
        try service.save(count, to: 1)
        _ = opened.takeNotes()
        return [(bare, .over(bare)), (layered, .over(layers)), (opened, service)]
    }

    @Test("save, update, transactions and migrations wait")
    func waiting() throws {
        for (store, settings) in try services() {
            try settings.save(count, to: 2)
            #expect(store.takeNotes() == [true])
            try settings.save(room, to: 2)
            #expect(store.takeNotes() == [true])
            settings.update(count) { $0 += 1 }
            #expect(store.takeNotes() == [true])
            settings.transaction { $0.set(count, to: 9) }
            #expect(store.takeNotes() == [true])
            try settings.save { (transaction: inout SettingsService.Transaction) in transaction.set(count, to: 10) }
            #expect(store.takeNotes() == [true])
            try settings.migrate([.version("one") { $0.set(count, to: 11) }])
            let notes = store.takeNotes()
            #expect(!notes.isEmpty && !notes.contains(false))
        }
    }

    @Test("set, reset, and a default that is stored once do not wait")
    func notWaiting() throws {
        for (store, settings) in try services() {
            settings.set(count, to: 20)
            settings.set(room, to: 20)
            settings.set(plain, to: 20)
            #expect(settings.get(once) == 7)
            settings.reset(count)
            settings.reset(room)
            settings.reset(Plain.self, in: .defaults)
            settings.set(count, to: 21)
            settings.reset(scope: .defaults)
            let notes = store.takeNotes()
            #expect(notes.count == 9 && !notes.contains(true))
        }
    }

    @Test("Of a record, changes with a closure and persist wait; setting a field and erasing do not")
    func records() throws {
        let store = NotingStore()
        let hours = try SettingsStorage<Hours>(name: "hours", in: store)
        hours.first = 1
        #expect(store.takeNotes() == [false])
        hours.update { $0.first += 1 }
        #expect(store.takeNotes() == [true])
        try hours.save(Hours(first: 4, last: 5))
        #expect(store.takeNotes() == [true])
        hours.set(Hours(first: 5, last: 6))
        #expect(store.takeNotes() == [false])
        hours.reset()
        #expect(store.takeNotes() == [false])
    }
}
