import Foundation
import SettingsKit
import SettingsTestKit
import Testing

@Test private func vaultStoreKeepsTheContract() async {
    let report = await StoreConformance { VaultStore() }.run()
    #expect(report.failures.isEmpty, "\(report)")
}

@Test("An override store keeps the contract, over a store with a feed and one without", arguments: [true, false])
private func overrideStoreKeepsTheContract(hasFeed: Bool) async {
    let report = await StoreConformance { OverrideStore([:], over: hasFeed ? MemoryStore() : VaultStore()) }.run()
    #expect(report.failures.isEmpty, "\(report)")
}

@Test("An override stays in force silently; changes of other settings are published once", arguments: [true, false])
private func overridesStayInForce(hasFeed: Bool) throws {
    let base: any SettingsStore = hasFeed ? MemoryStore() : VaultStore()
    let store = OverrideStore(["number": Data("7".utf8)], over: base)
    let (settings, direct) = (SettingsService(defaults: store), SettingsService(defaults: base))
    let number = Setting<Int>("number", in: .defaults, default: 0)
    let other = Setting<Int>("other", in: .defaults, default: 0)
    let (numbers, others) = (Recorder<Int>(), Recorder<Int>())
    let subscriptions = [
        settings.observe(number) { numbers.append($0.newValue) },
        settings.observe(other) { others.append($0.newValue) },
    ]
    settings.set(number, to: 1)
    #expect(try base.get(number.key) == Data("1".utf8))
    #expect(settings.update(number) { $0 } == 7 && settings[number] == 7 && numbers.all.isEmpty)
    settings.set(other, to: 2)
    direct.set(other, to: 3)
    #expect(settings[other] == 3 && others.all == [2, 3])
    for subscription in subscriptions { subscription.cancel() }
}
