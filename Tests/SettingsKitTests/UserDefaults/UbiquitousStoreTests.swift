import Foundation
import SettingsKit
import SettingsKitCore
import SettingsTestKit
import Testing

@testable import SettingsKitUserDefaults

/// iCloud's key-value store, as documented: it ends the program for a name of more than 64 bytes.
private final class CloudDouble: SystemObjects, Sendable {
    private let values = Mutex<[String: PropertyListValue]>([:])

    var names: [String] { values.withLock { Array($0.keys) } }

    func object(forKey name: String) -> Any? { values.withLock { $0[name] }?.object }

    func set(_ object: Any?, forKey name: String) {
        precondition(name.utf8.count <= 64)
        replace(name, by: object)
    }

    func removeObject(forKey name: String) { replace(name, by: nil) }

    func synchronize() -> Bool { true }

    /// Changes a value, as another device does.
    func replace(_ name: String, by object: Any?) {
        let value = object.flatMap(PropertyListValue.init(object:))
        values.withLock { $0[name] = value }
    }
}

@Suite("The store of iCloud's key-value store", .ownThreads)
struct UbiquitousStoreTests {
    private let cloud = CloudDouble()
    private var store: SystemStore { SystemStore(UbiquitousValues(cloud), description: "cloud") }
    private let count = Setting<Int>("count", in: .defaults, default: 0)

    @Test(
        "A name of more than 64 bytes in UTF-8 is refused, with all of its batch",
        arguments: ["n", "🎵", "e\u{301}"])
    func longNames(character: String) throws {
        let store = store
        let bytes = character.precomposedStringWithCanonicalMapping.utf8.count
        let longest = key(String(repeating: character, count: 64 / bytes))
        let tooLong = key(longest.name + character)
        #expect(try store.applyInCloud(.init(writes: [.init(key: longest, data: Data("1".utf8))])))
        #expect(store.get(longest) == Data("1".utf8))
        let batch = SettingsStoreBatch(writes: [
            .init(key: longest, data: Data("2".utf8)), .init(key: tooLong, data: Data("2".utf8)),
        ])
        #expect(thrownCode { try store.applyInCloud(batch) } == .tooLarge)
        #expect(store.get(longest) == Data("1".utf8) && store.get(tooLong) == nil)
        #expect(try store.applyInCloud(.init(writes: [.init(key: tooLong, data: nil)])))
    }

    @Test("Values that other code has stored natively are read by a setting of their type, and keep their kind")
    func nativeValues() {
        let objects: [String: Any] = ["flag": true, "count": 7, "list": [1, 2]]
        for (name, object) in objects { cloud.replace(name, by: object) }
        let service = SettingsService(defaults: store, diagnosticSink: .none)
        #expect(service.get(Setting<Bool>("flag", in: .defaults, default: false)))
        #expect(service.get(Setting<[Int]>("list", in: .defaults, default: [])) == [1, 2])
        service.update(count) { $0 += 1 }
        #expect(cloud.object(forKey: "count") as? Int == 8)
        // Unlike UserDefaults, iCloud has no form of its own for a URL.
        service.set(Setting<URL?>("url", in: .defaults), to: URL(string: "file:///a"))
        #expect(cloud.object(forKey: "url") as? String == "file:///a")
    }

    @Test("Changes of other devices and of the account are published, and a violation of iCloud's quota is reported")
    func announcements() throws {
        let store = store
        let problems = Recorder<SettingsError>()
        let service = SettingsService(defaults: store, diagnosticSink: .init { problems.append($0) })
        let heard = Recorder<String>()
        let subscription = service.observe(count) { heard.append("\($0.oldValue) \($0.newValue) \($0.origin)") }
        service.set(count, to: 7)
        try store.synchronize()
        store.noticeCloud(isFull: false)
        cloud.replace("count", by: 8)
        store.noticeCloud(isFull: false)
        #expect(heard.all == ["0 7 local", "7 8 external"] && problems.all.isEmpty)
        cloud.replace("count", by: nil)
        store.noticeCloud(isFull: true)
        #expect(heard.all.last == "8 0 external" && problems.codes == [.notSaved])
        #expect(problems.all[0].description.contains("iCloud does not take more settings of this app"))
        subscription.cancel()
    }
}
