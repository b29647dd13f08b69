import Foundation
import SettingsKit
import Testing

@Test private func theMigrationOfTheArticleMovesAndConverts() throws {
    let old = MemoryStore([
        "OldCityKey": Data("\"berlin\"".utf8), "theme": Data("\"dark\"".utf8), "volume": Data("1".utf8),
    ])
    let settings = SettingsService(defaults: old, shared: MemoryStore(), diagnosticSink: .none)
    try openSettings(settings)
    try openSettings(settings)
    #expect(settings.get(.city) == .berlin)
    #expect(settings.get(.theme) == .dark)
    #expect(settings.get(.layout) == .compact)
    #expect(Set(old.keys()) == ["city", "volume", "layout", SettingsService.migrationLedger])
}

@Test("Migrations: a record, a property and the settings see each other's values after a migration")
private func fieldsAndNamespacesAreMigrated() throws {
    let store = MemoryStore(["Loudness": Data("80".utf8), "ServerName": Data("\"music.example.org\"".utf8)])
    let settings = SettingsService(defaults: store)
    let network = try openNetwork(in: settings)
    #expect(network.server == URL(string: "https://music.example.org") && network.timeout == 30)
    let loudness = Persister(.loudness, in: settings)
    #expect(loudness.value == 0.8)
    loudness.value = 0.25
    #expect(settings.get(.loudness) == 0.25)
    network.server = nil
    #expect(!settings.isSet(.server))
    #expect(store.keys() == ["playback:loudness"])
}

@Suite("The article on types that change")
struct ChangingTypesTests {
    private let store = MemoryStore()
    private var settings: SettingsService { SettingsService(stores: [.defaults: store], diagnosticSink: .none) }
    private let burstLimit = SettingsService.Setting<BurstLimit>("requestLimit", in: .defaults, default: BurstLimit())

    private var stored: String { store.get(burstLimit.key).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    @Test("A member that was added comes from the default; the old version reads, and removes, what the new one stores")
    func add() {
        settings.set(.requestLimit, to: RequestLimit(perMinute: 7))
        let limit = settings.get(burstLimit)
        #expect((limit.perMinute, limit.burst) == (7, 10))
        settings.update(burstLimit) { $0.burst = 20 }
        #expect(stored == #"{"burst":20,"perMinute":7}"#)
        #expect(settings.get(.requestLimit).perMinute == 7)
        settings.update(.requestLimit) { $0.perMinute = 8 }
        #expect(stored == #"{"perMinute":8}"#)
    }

    @Test("A member that was renamed keeps its stored name")
    func rename() {
        settings.set(.requestLimit, to: RequestLimit(perMinute: 7))
        let renamed = SettingsService.Setting<RenamedLimit>("requestLimit", in: .defaults, default: RenamedLimit())
        #expect(settings.get(renamed).requestsPerMinute == 7)
    }

    @Test("A type is changed by a migration from the setting's own name; the old version then reads its default")
    func change() throws {
        settings.set(.requestLimit, to: RequestLimit(perMinute: 7))
        let (before, after) = (settings, settings)
        #expect(before.get(timedLimit).requests == 60, "both members are taken from the default")
        try convertLimit(in: after)
        let limit = after.get(timedLimit)
        #expect((limit.requests, limit.seconds) == (7, 60))
        #expect(after.get(.requestLimit).perMinute == 60)
    }
}
