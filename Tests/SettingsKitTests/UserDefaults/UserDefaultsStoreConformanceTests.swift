import Foundation
import SettingsKit
import SettingsKitUserDefaults
import SettingsTestKit
import Testing

@Suite("Conformance of UserDefaultsStore", .ownThreads)
struct UserDefaultsStoreConformanceTests {
    @Test("UserDefaultsStore keeps the contract of a store")
    func conformance() async {
        let suites = Mutex<[String]>([])
        defer {
            for suite in suites.withLock({ $0 }) {
                UserDefaults(suiteName: suite)?.removePersistentDomain(forName: suite)
                UserDefaults(suiteName: suite)?.synchronize()
            }
        }
        let report = await StoreConformance {
            let suite = "SettingsKit.tests.\(UUID().uuidString)"
            suites.withLock { $0.append(suite) }
            return UserDefaultsStore(suite: suite)
        }.run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(
            report.skippedGroups == ["unreadable", "unwritable", "errors", "durability", "killed"], "\(report)")
    }
}
