import Foundation
import SettingsKitCore
import Testing

@Suite("The last good value", .timeLimit(Rounds.timeLimit))
struct LastGoodValueTests {
    private let port = Setting<Int>("port", in: .defaults, default: 77, validation: .range(1...100))

    @Test("It locks, where a locking layer holds something else now")
    func locks() {
        let store = CandidateStore()
        let settings = SettingsService.over(store)
        store.change("port", in: "managed", to: "10")
        #expect(settings.get(port) == 10)
        store.change("port", in: "managed", to: "999")
        #expect(settings.get(port) == 10 && settings.isLocked(port))
        #expect(thrownCode { try settings.save(port, to: 5) } == .locked)
        #expect(store.held("port") == nil)
    }

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

    @Test("A service that began after the bad edit is notified of changes from the last good value")
    func lateListeners() {
        for (value, told) in [(10, []), (11, ["10-11"])] {
            let services = AfterABadEdit(port)
            #expect(services.late.get(port) == 10)
            services.first.set(port, to: value)
            #expect(services.changes.all == told && services.late.get(port) == value)
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

    @Test("A service that reads between a bad edit and its check has it, too")
    func readingBeforeTheCheck() {
        let store = FeedStore(["port": Data("10".utf8)])
        let settings = SettingsService.over(store)
        let other = Setting<Int>("other", in: .defaults, default: 0)
        #expect(settings.get(port) == 10)
        let late = Recorder<SettingsService>()
        let subscription = settings.observe(other) { [port] _ in
            store.changeFromOutside([("port", "999")])
            let service = SettingsService.over(store)
            #expect(service.get(port) == 10)
            late.append(service)
        }
        settings.set(other, to: 1)
        #expect(settings.get(port) == 10 && late.all[0].get(port) == 10)
        subscription.cancel()
    }

    @Test("A hidden layer keeps its newest good value, not an older one")
    func hiddenLayer() {
        let store = CandidateStore()
        let settings = SettingsService.over(store)
        store.change("port", in: nil, to: "50")
        #expect(settings.get(port) == 50)
        for value in 1...3 { store.change("port", in: "system", to: "\(value)") }
        settings.reset(port)
        #expect(settings.get(port) == 3)
        store.change("port", in: "system", to: "999")
        #expect(settings.get(port) == 3)
    }

    @Test(
        "A value that the program sets before a bad edit was delivered follows the good one", arguments: [false, true])
    func setMeanwhile(isLayered: Bool) {
        let feedStore = FeedStore(["port": Data("10".utf8)])
        let layered = CandidateStore()
        layered.change("port", in: nil, to: "10")
        let settings = SettingsService.over(isLayered ? layered : feedStore)
        let other = Setting<Int>("other", in: .defaults, default: 0)
        #expect(settings.get(port) == 10)
        let changes = Recorder<String>()
        let subscriptions = [
            settings.observe(port) { changes.append("\($0.oldValue)-\($0.newValue)") },
            settings.observe(other) { [port] _ in
                if isLayered {
                    layered.change("port", in: nil, to: "999")
                } else {
                    feedStore.changeFromOutside([("port", "999")])
                }
                settings.set(port, to: 20)
            },
        ]
        settings.set(other, to: 1)
        #expect(changes.all == ["10-20"] && settings.get(port) == 20)
        for subscription in subscriptions { subscription.cancel() }
    }

    /// A service over a store that holds 10. Changes that are made in `body` wait, and are delivered after it.
    private struct WaitingChanges {
        let store = FeedStore(["port": Data("10".utf8)])
        let settings: SettingsService
        let changes = Recorder<String>()
        private let subscription: SettingsService.Subscription

        init(_ port: Setting<Int>, _ body: @escaping @Sendable (FeedStore, SettingsService) -> Void) {
            let settings = SettingsService.over(store)
            self.settings = settings
            subscription = settings.observe(port) { [changes] in changes.append("\($0.oldValue)-\($0.newValue)") }
            let other = Setting<Int>("other", in: .defaults, default: 0)
            let outer = settings.observe(other) { [store] _ in body(store, settings) }
            settings.set(other, to: 1)
            outer.cancel()
        }
    }

    @Test("A good change from outside that the program overwrites before it is delivered swallows no later change")
    func goodMeanwhile() {
        let waiting = WaitingChanges(port) { [port] store, settings in
            store.changeFromOutside([("port", "50")])
            settings.set(port, to: 20)
        }
        for value in [50, 10, 50] { waiting.settings.set(port, to: value) }
        waiting.store.changeFromOutside([("port", "999")])
        #expect(waiting.changes.all == ["10-50", "50-20", "20-50", "50-10", "10-50"])
        #expect(waiting.settings.get(port) == 50)
    }

    @Test("Changes that wait are delivered each, with a bad one among them or without", arguments: ["50", "999"])
    func waiting(outside: String) {
        let waiting = WaitingChanges(port) { [port] store, settings in
            settings.set(port, to: 20)
            store.changeFromOutside([("port", outside)])
            settings.set(port, to: 10)
        }
        #expect(waiting.changes.all == (outside == "50" ? ["10-20", "20-50", "50-10"] : ["10-20", "20-10"]))
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

    @Test("A transaction that fails in another scope is undone, also where other layers have values")
    func undoing() throws {
        for _ in 0..<20 {
            let layers = CandidateStore()
            layers.change("port", in: "managed", to: "oops")
            layers.change("port", in: nil, to: "50")
            layers.change("port", in: "system", to: "1")
            let failing = FeedStore(willWrite: { _ in throw StoreBroken() })
            let settings = SettingsService(stores: [.defaults: layers, .shared: failing], diagnosticSink: .none)
            for isReset in [false, true] {
                #expect(throws: SettingsError.self) {
                    try settings.save { (t: inout SettingsService.Transaction) throws in
                        if isReset { t.reset(port) } else { t.set(port, to: 7) }
                        t.set(theme, to: "dark")
                    }
                }
                #expect(layers.held("port") == "50" && settings.get(port) == 50)
            }
        }
    }

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

    @Test("A lossy value stays what the program has set while other layers change")
    func lossyValue() {
        struct Rounding: Transformer {
            func transformValue(_ value: Double) -> Data { Data("\(Int(value))".utf8) }
            func untransformValue(_ output: Data) throws -> Double {
                Double(String(decoding: output, as: UTF8.self)) ?? 0
            }
        }
        let lossy = Setting<Double>("lossy", in: .defaults, default: 0, transformer: Rounding())
        let layers = CandidateStore()
        let settings = SettingsService.over(layers)
        settings.set(lossy, to: 2.5)
        #expect(settings.get(lossy) == 2.5)
        layers.change("lossy", in: "system", to: "7")
        #expect(settings.get(lossy) == 2.5)
    }

    @Test("A property that stores its default leaves what other layers have, and the last good value")
    func persistDefault() throws {
        let layers = CandidateStore()
        layers.change("port", in: "managed", to: "5", form: .text)
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(layers, problems)
        let property = Persister(port, in: settings, persistDefault: [.whenNil, .onError])
        #expect(try property.value == 5 && property.load() == 5)
        let store = FeedStore(["port": Data("10".utf8)])
        let other = Persister(port, in: SettingsService.over(store, problems), persistDefault: [.whenNil, .onError])
        #expect(other.value == 10)
        store.changeFromOutside([("port", "999")])
        #expect(other.value == 10 && store.stored["port"] == Data("999".utf8))
        #expect(problems.all.map(\.code) == [.invalidValue])
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
