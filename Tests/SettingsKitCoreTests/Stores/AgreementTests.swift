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
            reason: SettingsError(.storeUnavailable), description: "test", schedule: { _, _ in }, open: { opened })
        let service = SettingsService.over(recovering)
        // Opens the store.
        try service.save(count, to: 1)
        _ = opened.takeNotes()
        return [(bare, .over(bare)), (layered, .over(layers)), (opened, service)]
    }

    @Test("save, update, transactions and migrations wait; set, reset, and a default that is stored once do not")
    func acts() throws {
        for (store, settings) in try services() {
            let waiting: [() throws -> Void] = [
                { try settings.save(count, to: 2) }, { try settings.save(room, to: 2) },
                { settings.update(count) { $0 += 1 } }, { settings.transaction { $0.set(count, to: 9) } },
                { try settings.save { (t: inout SettingsService.Transaction) in t.set(count, to: 10) } },
                { try settings.migrate([.version("one") { $0.set(count, to: 11) }]) },
            ]
            for act in waiting {
                try act()
                let notes = store.takeNotes()
                #expect(!notes.isEmpty && !notes.contains(false))
            }
            let others: [() throws -> Void] = [
                { settings.set(count, to: 20) }, { settings.set(room, to: 20) }, { settings.set(plain, to: 20) },
                { #expect(settings.get(once) == 7) }, { settings.reset(count) }, { settings.reset(room) },
                { settings.reset(Plain.self, in: .defaults) }, { settings.reset(scope: .defaults) },
            ]
            for act in others {
                try act()
                #expect(store.takeNotes() == [false])
            }
        }
    }
}
