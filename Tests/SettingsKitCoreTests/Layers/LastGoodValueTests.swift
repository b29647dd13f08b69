import Foundation
import SettingsKitCore
import Testing

@Suite("The last good value", .timeLimit(Rounds.timeLimit))
struct LastGoodValueTests {
    private let port = Setting<Int>("port", in: .defaults, default: 77, validation: .range(1...100))

    @Test("It stays the same for every service, handle and setting, through any number of bad edits")
    func chains() throws {
        let store = FeedStore(["port": Data("10".utf8)])
        let first = SettingsService.over(store)
        #expect(first.get(port) == 10)
        var others: [SettingsService] = []
        for bad in ["999", "998", "oops", "997"] {
            store.changeFromOutside([("port", bad)])
            others.append(SettingsService.over(store))
            for settings in [first] + others { #expect(settings.get(port) == 10) }
            #expect(store.get(port) == 10)
            let another = Setting<Int>("port", in: .defaults, default: 5, validation: .range(1...100))
            #expect(first.get(another) == 10)
        }
        store.changeFromOutside([("port", "11")])
        for settings in [first] + others { #expect(settings.get(port) == 11) }
    }

    /// Two services over a store that held 10 and holds 999: the second began after that, and its changes are recorded.
    private struct AfterABadEdit {
        let store = FeedStore(["port": Data("10".utf8)])
        let first: SettingsService
        let late: SettingsService
        let changes = Recorder<String>()
        private let subscription: SettingsService.Subscription

        init(_ port: Setting<Int>) {
            first = SettingsService.over(store)
            #expect(first.get(port) == 10)
            store.changeFromOutside([("port", "999")])
            late = SettingsService.over(store)
            subscription = late.observe(port) { [changes] in changes.append("\($0.oldValue)-\($0.newValue)") }
        }
    }

    @Test("A service that began after the bad edit is notified of its repair as a change of the last good value")
    func repairFromOutside() {
        for (repairs, told) in [(["10"], []), (["11"], ["10-11"]), (["998", "12"], ["10-12"])] as [([String], [String])]
        {
            let services = AfterABadEdit(port)
            for repair in repairs { services.store.changeFromOutside([("port", repair)]) }
            #expect(services.changes.all == told)
        }
    }

    @Test("It is the same through a store and through layers over it")
    func layersOverAStore() throws {
        let store = FeedStore(["port": Data("10".utf8)])
        let settings = SettingsService.over(store)
        let above = SettingsService.over(try LayeredStore([.writable(store)]))
        #expect(settings.get(port) == 10 && above.get(port) == 10)
        store.changeFromOutside([("port", "999")])
        #expect(settings.get(port) == 10 && above.get(port) == 10)
        #expect(settings.overriding { _ in }.get(port) == 10)
        #expect(SettingsService.over(try LayeredStore([.writable(store)])).get(port) == 10)
        #expect(SettingsService.over(store).get(port) == 10)
    }
}

@Suite("Writing over layers", .timeLimit(Rounds.timeLimit))
struct LayeredWritingTests {
    private let port = Setting<Int>("port", in: .defaults, default: 77, validation: .range(1...100))
    private let theme = Setting<String>("theme", in: .shared, default: "")

    @Test("A locked value stays in force, whatever is written to the writable layer's store beside the layers")
    func writingBeneath() throws {
        let beneath = MemoryStore()
        let layered = try LayeredStore([
            .locked(MemoryStore(["port": Data("5".utf8)]), name: "managed"), .writable(beneath),
        ])
        let settings = SettingsService.over(layered)
        let told = Recorder<Int>()
        let subscription = settings.observe(port) { told.append($0.newValue) }
        #expect(settings.get(port) == 5)
        SettingsService.over(beneath).set(port, to: 9)
        #expect(settings.get(port) == 5 && settings.isLocked(port) && told.all.isEmpty)
        #expect(layered.get(port) == 5 && beneath.get(port) == 9)
        subscription.cancel()
    }

    @Test("A migration to a locked setting changes nothing; one that the setting does not accept locks nothing")
    func migrations() throws {
        let layers = CandidateStore()
        layers.change("port", in: "managed", to: "5")
        let other = TwoFunctionStore()
        let settings = SettingsService(stores: [.defaults: layers, .shared: other], diagnosticSink: .none)
        let step = SettingsService.Migration.version("x") { [port, theme] t in
            t.set(theme, to: "dark")
            t.set(port, to: 9)
        }
        for _ in 0..<2 {
            #expect(throws: SettingsError.self) { try settings.migrate([step]) }
            #expect(other.contents["theme"] == nil && layers.held("port") == nil)
        }
        layers.change("port", in: "managed", to: "oops", origin: .local)
        try settings.migrate([step])
        #expect(settings.get(port) == 9 && settings.get(theme) == "dark")
    }

    @Test("Resetting a namespace removes what the writable layer has, whatever other layers have")
    func namespaces() {
        enum Sound: SettingsNamespace { static let id = "sound" }
        let problems = Recorder<SettingsError>()
        let layers = LayeredKeys(CandidateStore())
        layers.base.change("sound:a", in: "managed", to: "1")
        layers.base.change("sound:b", in: nil, to: "2")
        layers.base.change("sound:c", in: "system", to: "3")
        let settings = SettingsService.over(layers, problems)
        settings.reset(Sound.self, in: .defaults)
        #expect(layers.base.held("sound:b") == nil && problems.all.isEmpty)
    }

    @Test("A key's hooks receive the values in force")
    func hooks() {
        let told = Recorder<String>()
        let layers = CandidateStore()
        layers.change("loud", in: "system", to: "3")
        layers.change("loud", in: nil, to: "4")
        let setting = Setting<Int>(ToldKey(told: told))
        let settings = SettingsService.over(layers)
        settings.reset(setting)
        #expect(told.all == ["4-3"])
    }

    private struct ToldKey: SettingKey {
        let told: Recorder<String>
        let key = SettingsService.StorageKey("loud", scope: .defaults)
        let defaultValue = 0
        func didChange(_ oldValue: Int, newValue: Int) { told.append("\(oldValue)-\(newValue)") }
    }

    @Test("A store with layers and without a feed is read by its candidates")
    func withoutFeed() throws {
        let store = WithoutFeed(CandidateStore())
        store.base.change("port", in: "managed", to: "9", form: .text)
        let settings = SettingsService.over(store)
        #expect(settings.get(port) == 9 && settings.isLocked(port))
        #expect(thrownCode { try settings.save(port, to: 4) } == .locked)
        store.base.change("port", in: "managed", to: nil)
        let told = Recorder<Int>()
        let subscription = settings.observe(port) { told.append($0.newValue) }
        try settings.save(port, to: 4)
        #expect(settings.get(port) == 4 && told.all == [4])
        subscription.cancel()
    }
}

/// A store with layers that can list the keys of all of them.
private struct LayeredKeys: LayeredSettingsStore {
    let base: CandidateStore
    init(_ base: CandidateStore) { self.base = base }
    var feed: SettingsStoreFeed? { base.feed }
    var layerNames: [String?] { base.layerNames }
    func candidates(for key: SettingsService.StorageKey) -> [SettingsStoreCandidate] { base.candidates(for: key) }
    func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try base.set(key, to: data) }
    func apply(_ batch: SettingsStoreBatch) throws -> Bool { try base.apply(batch) }
    func keys() -> [String] { ["sound:a", "sound:b", "sound:c"] }
}

/// A store with layers that publishes nothing.
private final class WithoutFeed: LayeredSettingsStore {
    let base: CandidateStore
    init(_ base: CandidateStore) { self.base = base }
    var layerNames: [String?] { base.layerNames }
    func candidates(for key: SettingsService.StorageKey) -> [SettingsStoreCandidate] { base.candidates(for: key) }
    func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try base.set(key, to: data) }
    func apply(_ batch: SettingsStoreBatch) throws -> Bool { try base.apply(batch) }
}
