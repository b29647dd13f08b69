import Foundation
import SettingsKitCore
import SettingsTestKit
import Testing

@Suite("Conformance of the stores in memory", .ownThreads)
struct StoreConformanceTests {
    /// The least that a store can be.
    private final class TwoFunctionStore: SettingsStore {
        private let contents = Mutex<[String: Data]>([:])

        func get(_ key: SettingsService.StorageKey) -> Data? { contents.withLock { $0[key.name] } }
        func set(_ key: SettingsService.StorageKey, to data: Data?) { contents.withLock { $0[key.name] = data } }
    }

    @Test("MemoryStore keeps the contract of a store")
    func memory() async {
        let report = await StoreConformance { MemoryStore() }.run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(
            report.skippedGroups == ["unreadable", "unwritable", "errors", "durability", "killed"], "\(report)")
    }

    @Test("CacheStore keeps the contract of a store, as long as nothing must go")
    func cache() async {
        let report = await StoreConformance { CacheStore() }.run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(
            report.skippedGroups == ["unreadable", "unwritable", "errors", "durability", "killed"], "\(report)")
    }

    @Test("A store of two functions keeps the contract through the default implementations")
    func twoFunctions() async {
        let report = await StoreConformance { TwoFunctionStore() }.run()
        #expect(report.failures.isEmpty, "\(report)")
    }
}
