import Foundation
import SettingsKit
import SettingsKitCore
import SettingsTestKit
import SettingsTestSupport
import Testing

@testable import SettingsKitUserDefaults

/// iCloud's key-value store, as documented: it ends the program for a name of more than 64 bytes.
private final class CloudDouble: UbiquitousValues {
    private let values = Mutex<[String: PropertyListValue]>([:])

    func value(named name: String) -> PropertyListValue? { values.withLock { $0[name] } }

    func set(_ value: PropertyListValue?, named name: String) {
        precondition(name.utf8.count <= 64)
        values.withLock { $0[name] = value }
    }

    var all: [String: PropertyListValue] { values.withLock { $0 } }

    func synchronize() -> Bool { true }

    /// Signs another account in.
    func replace(by new: [String: PropertyListValue]) { values.withLock { $0 = new } }
}

@Suite("The store of iCloud's key-value store", .ownThreads)
struct UbiquitousContentsTests {
    private let cloud = CloudDouble()
    private var store: UbiquitousContents { UbiquitousContents(cloud, description: "cloud") }

    @Test("It keeps the contract of a store")
    func conformance() async {
        let report = await StoreConformance { UbiquitousContents(CloudDouble(), description: "cloud") }.run()
        let failures = report.failures.filter { !"\($0)".contains("4 KiB") && !"\($0)".contains("name") }
        #expect(failures.isEmpty, "\(report)")
    }

    @Test("A name of more than 64 bytes in UTF-8 is refused", arguments: ["n", "é", "🎵", "e\u{301}"])
    func longNames(character: String) throws {
        let store = store
        let bytes = character.precomposedStringWithCanonicalMapping.utf8.count
        let longest = String(repeating: character, count: 64 / bytes)
        try store.set(key(longest), to: Data("1".utf8))
        #expect(store.get(key(longest)) == Data("1".utf8))
        let tooLong = key(longest + character)
        #expect(thrownCode { try store.set(tooLong, to: Data("1".utf8)) } == .tooLarge)
        #expect(store.get(tooLong) == nil)
        try store.set(tooLong, to: nil)
        // A service's `set` diagnoses it, and `save` throws it.
        let problems = Recorder<SettingsError>()
        let service = SettingsService(defaults: store, diagnosticSink: .init { problems.append($0) })
        let setting = Setting<Int>(tooLong.name, in: .defaults, default: 0)
        service.set(setting, to: 1)
        #expect(problems.codes == [.tooLarge])
        #expect(thrownCode { try service.save(setting, to: 1) } == .tooLarge)
        #expect(service.get(setting) == 0)
    }

    @Test("A batch with one name that is too long changes nothing")
    func wholeBatch() throws {
        let store = store
        let batch = SettingsStoreBatch(writes: [
            .init(key: key("short"), data: Data("1".utf8)),
            .init(key: key(String(repeating: "n", count: 65)), data: Data("1".utf8)),
        ])
        #expect(thrownCode { try store.apply(batch) } == .tooLarge)
        #expect(store.get(key("short")) == nil)
    }

    @Test("The 1,025th key is refused, and changing one of the 1,024 is not")
    func keyLimit() throws {
        let store = store
        for number in 0..<1_024 { try store.set(key("n\(number)"), to: Data("1".utf8)) }
        #expect(thrownCode { try store.set(key("another"), to: Data("1".utf8)) } == .tooLarge)
        try store.set(key("n7"), to: Data("2".utf8))
        try store.set(key("n8"), to: nil)
        try store.set(key("another"), to: Data("1".utf8))
        #expect(store.keys().count == 1_024)
    }

    @Test("More than 1 MB of names and values is refused, and the old value stays")
    func sizeLimit() throws {
        let store = store
        let half = Data(repeating: 0xFF, count: 524_288 - 1)
        try store.set(key("a"), to: half)
        try store.set(key("b"), to: half)
        #expect(thrownCode { try store.set(key("a"), to: half + [1]) } == .tooLarge)
        #expect(thrownCode { try store.set(key("c"), to: Data("1".utf8)) } == .tooLarge)
        #expect(store.get(key("a")) == half)
        try store.set(key("a"), to: half.dropLast())
        // A store that is too large already may become smaller.
        cloud.replace(by: ["a": .data(half + half + half)])
        try store.set(key("a"), to: half + half + [1])
        #expect(thrownCode { try store.set(key("a"), to: half + half + half) } == .tooLarge)
    }

    @Test("Values that other code has stored natively are read by a setting of their type, and keep their kind")
    func nativeValues() throws {
        cloud.replace(by: [
            "flag": .boolean(true), "count": .integer(7), "ratio": .real(0.5), "name": .string("Ann"),
            "list": .array([.integer(1), .integer(2)]),
        ])
        let service = SettingsService(defaults: store, diagnosticSink: .none)
        let count = Setting<Int>("count", in: .defaults, default: 0)
        #expect(service.get(Setting<Bool>("flag", in: .defaults, default: false)))
        #expect(service.get(count) == 7)
        #expect(service.get(Setting<Double>("ratio", in: .defaults, default: 0)) == 0.5)
        #expect(service.get(Setting<String>("name", in: .defaults, default: "")) == "Ann")
        #expect(service.get(Setting<[Int]>("list", in: .defaults, default: [])) == [1, 2])
        service.update(count) { $0 += 1 }
        #expect(cloud.value(named: "count") == .integer(8))
    }

    @Test("A violation of iCloud's quota is reported, and the values stay on this device")
    func quotaViolation() throws {
        let store = store
        let problems = Recorder<SettingsError>()
        let service = SettingsService(defaults: store, diagnosticSink: .init { problems.append($0) })
        let count = Setting<Int>("count", in: .defaults, default: 0)
        try service.save(count, to: 7)
        store.notice(.quotaViolation, of: ["count"])
        #expect(problems.codes == [.notSaved])
        #expect(problems.all[0].description.contains("iCloud does not take more settings of this app"))
        #expect(service.get(count) == 7)
        store.notice(.otherDevices, of: ["count"])
        store.notice(.otherAccount, of: nil)
        #expect(problems.codes == [.notSaved])
    }

    @Test("A change of the account announces every value that differs")
    func accountChange() throws {
        let store = store
        let service = SettingsService(defaults: store, diagnosticSink: .none)
        let (kept, changed, removed, added) = ("kept", "changed", "removed", "added")
        let heard = Recorder<String>()
        let subscriptions = [kept, changed, removed, added].map { name in
            let setting = Setting<Int>(name, in: .defaults, default: 0)
            if name != added { service.set(setting, to: 1) }
            #expect(service.get(setting) == (name == added ? 0 : 1))
            return service.observe(setting) { heard.append("\(name) \($0.oldValue) \($0.newValue) \($0.origin)") }
        }
        cloud.replace(by: ["kept": .integer(1), "changed": .integer(2), "added": .integer(3)])
        store.noticeChanges(of: nil)
        #expect(Set(heard.all) == ["changed 1 2 external", "removed 1 0 external", "added 0 3 external"])
        #expect(heard.count == 3)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("A change of another device announces the names that it has changed")
    func otherDevice() throws {
        let store = store
        let service = SettingsService(defaults: store, diagnosticSink: .none)
        let number = Setting<Int>("n", in: .defaults, default: 0)
        service.set(number, to: 1)
        let heard = Recorder<Int>()
        let subscription = service.observe(number) { heard.append($0.newValue) }
        cloud.replace(by: ["n": .integer(2)])
        store.noticeChanges(of: ["n", "other"])
        store.noticeChanges(of: ["n"])
        #expect(heard.all == [2])
        subscription.cancel()
    }
}
