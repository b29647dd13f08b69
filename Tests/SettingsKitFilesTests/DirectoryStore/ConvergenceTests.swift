import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

@Suite("Devices agree")
struct ConvergenceTests {
    private let one: Device
    private let other: Device

    init() throws {
        one = try Device("one")
        other = try Device("other")
    }

    @Test("A change on one device reaches the other")
    func arrival() throws {
        try one.set("theme", "\"dark\"")
        try one.send(to: other)
        try other.store.refresh()
        #expect(try other.values == ["theme": "\"dark\""])
    }

    @Test("A change that was made after another was seen wins, whatever the clocks say")
    func causality() throws {
        other.time = one.time - Device.day / 2
        try one.set("theme", "1")
        try one.send(to: other)
        try other.store.refresh()
        try other.set("theme", "2")
        try settle([one, other])
        #expect(try one.values == ["theme": "2"])
    }

    @Test("A removed setting stays removed, although another device still has its value")
    func removal() throws {
        try one.set("theme", "1")
        try settle([one, other])
        try one.set("theme", nil)
        try settle([one, other])
        #expect(try one.values == [:])
        try other.set("volume", "1")
        try settle([one, other])
        #expect(try one.values == ["volume": "1"])
    }

    @Test(
        "A setting that one removes and another sets meanwhile ends as the later of the two says",
        arguments: [true, false])
    func removalOrSetting(isRemovalLater: Bool) throws {
        try one.set("theme", "1")
        try settle([one, other])
        one.time += isRemovalLater ? 2_000 : 1_000
        other.time += isRemovalLater ? 1_000 : 2_000
        try one.set("theme", nil)
        try other.set("theme", "2")
        try settle([one, other])
        #expect(try one.value("theme") == (isRemovalLater ? nil : "2"))
    }

    @Test("Of two settings at the same moment one stays, on both devices the same")
    func sameMoment() throws {
        try one.set("theme", "1")
        try other.set("theme", "2")
        try settle([one, other])
        #expect(try one.value("theme") != nil)
    }

    @Test("Names that differ in case are two, the two forms of one name are one")
    func names() throws {
        try one.set("Theme", "1")
        try one.set("theme", "2")
        try one.set("caf\u{E9}", "3")
        other.time += 1_000
        try other.set("cafe\u{301}", "4")
        try settle([one, other])
        #expect(try one.values == ["Theme": "1", "theme": "2", "caf\u{E9}": "4"])
    }

    @Test("A batch arrives as one, and a later value for a part of it stays")
    func batch() throws {
        let batch = SettingsStoreBatch(
            writes: ["a", "b"].map { .init(key: key($0), data: Data("1".utf8)) },
            expectations: [.init(key: key("a"), data: nil)])
        #expect(try one.store.apply(batch))
        #expect(try !one.store.apply(batch))
        other.time += 1_000
        try other.set("b", "2")
        try settle([one, other])
        #expect(try one.values == ["a": "1", "b": "2"])
    }

    @Test("Devices exchange unusual values: bytes that are not text, no bytes, a megabyte")
    func anyBytes() throws {
        let values = ["empty": Data(), "bytes": Data([0xFF, 0, 0x0A]), "large": Data(repeating: 0x22, count: 1 << 20)]
        for (name, value) in values { try one.store.set(key(name), to: value) }
        try one.send(to: other)
        try other.store.refresh()
        for (name, value) in values { #expect(try other.store.get(key(name)) == value, "\(name)") }
    }

    @Test("Removing everything removes it on the other device, too")
    func removeAll() throws {
        for name in ["a", "b"] { try one.set(name, "1") }
        try settle([one, other])
        try other.store.removeAll()
        try settle([one, other])
        #expect(try one.values == [:])
    }

    @Test("Only changed settings are published, and with the origin of another device")
    func events() throws {
        for name in ["a", "b"] { try one.set(name, "1") }
        try settle([one, other])
        let (service, _) = SettingsService.over(try other.store)
        let changes = Recorder<String>()
        let subscriptions = ["a", "b", "c"].map { name in
            service.observe(SettingsService.Setting<Int?>(name, in: .defaults)) { change in
                let (old, new) = (change.oldValue ?? 0, change.newValue ?? 0)
                changes.append("\(name) \(old) \(new) \(change.origin == .external)")
            }
        }
        try one.set("b", "2")
        one.time += 1_000
        try one.set("a", "2")
        try one.set("a", "1")
        try one.send(to: other)
        try other.store.refresh()
        try other.store.refresh()
        #expect(changes.all == ["b 1 2 true"])
        try other.set("c", "3")
        #expect(changes.all == ["b 1 2 true", "c 0 3 false"])
        withExtendedLifetime(subscriptions) {}
    }

    @Test("A listener may use the store that notifies it")
    func reentrance() throws {
        let store = try other.store
        let (service, _) = SettingsService.over(store)
        let heard = Recorder<Int>()
        let subscription = service.observe(SettingsService.Setting<Int>("a", in: .defaults, default: 0)) { change in
            heard.append(change.newValue)
            guard change.origin == .external else { return }
            try? store.synchronize()
            service.set(SettingsService.Setting<Int>("a", in: .defaults, default: 0), to: change.newValue + 1)
            try? store.export()
        }
        try one.set("a", "1")
        try one.send(to: other)
        try store.synchronize()
        #expect(heard.all == [1, 2])
        try settle([one, other])
        #expect(try one.values == ["a": "2"])
        withExtendedLifetime(subscription) {}
    }

    @Test("Each knows the others, and when they were last seen")
    func replicas() throws {
        try one.set("a", "1")
        try settle([one, other])
        let replicas = try one.store.replicas
        #expect(replicas.map(\.deviceName) == ["one", "other"])
        #expect(replicas.map(\.isOwn) == [true, false])
        // The other one has changed nothing yet.
        #expect(replicas.map(\.lastSeen) == [one.time, 0].map { Date(timeIntervalSince1970: Double($0) / 1_000) })
        #expect(try one.store.report.problems.isEmpty)
        #expect(try !one.store.report.hasUnexportedChanges)
    }
}
