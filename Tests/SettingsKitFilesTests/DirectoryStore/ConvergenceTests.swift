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

    @Test("Removing everything removes it on the other device, too, and keeps the identity")
    func removeAll() throws {
        for name in ["a", "b"] { try one.set(name, "1") }
        try settle([one, other])
        let file = try other.ownFile.name
        try other.store.removeAll()
        try settle([one, other])
        #expect(try one.values == [:] && other.ownFile.name == file)
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
