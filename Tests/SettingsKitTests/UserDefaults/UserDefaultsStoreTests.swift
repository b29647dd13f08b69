import Foundation
import SettingsKit
import SettingsKitUserDefaults
import SettingsTestKit
import Testing

@Suite("UserDefaults as a store", .timeLimit(Rounds.timeLimit), .ownThreads)
struct UserDefaultsStoreTests {
    private static let setting = Setting<Int>("n", in: .defaults, default: 0)

    @Test("It keeps the contract of a store")
    func conformance() async {
        let suites = Recorder<String>()
        defer { for suite in suites.all { removeSuite(suite) } }
        let report = await StoreConformance {
            let suite = "SettingsKit.tests.\(UUID().uuidString)"
            suites.append(suite)
            return UserDefaultsStore(suite: suite)
        }.run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(
            report.skippedGroups == ["unreadable", "unwritable", "errors", "durability", "killed"], "\(report)")
    }

    @Test("An app's direct changes are read at once, and delivered at synchronize and before the store's next change")
    func outsideChanges() throws {
        try withSuite { name in
            let service = SettingsService(defaults: UserDefaultsStore(suite: name), diagnosticSink: .none)
            let defaults = try #require(UserDefaults(suiteName: name))
            let heard = Recorder<String>()
            let subscription = service.observe(Self.setting) { change in
                heard.append("\(change.oldValue) to \(change.newValue), \(change.origin)")
            }
            #expect(service.get(Self.setting) == 0)
            defaults.set(5, forKey: "n")
            #expect(service.get(Self.setting) == 5)
            try service.synchronize()
            #expect(heard.all == ["0 to 5, external"])
            defaults.set(6, forKey: "n")
            service.set(Self.setting, to: 7)
            #expect(heard.all.dropFirst() == ["5 to 6, external", "6 to 7, local"])
            subscription.cancel()
        }
    }

    @Test("Names that are equal as Swift strings are one key, whichever form the app has used")
    func canonicalEquivalence() throws {
        try withSuite { name in
            let store = UserDefaultsStore(suite: name)
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.set(2, forKey: "cafe\u{301}")
            #expect(store.get(key("caf\u{E9}")) == Data("2".utf8))
            store.set(key("caf\u{E9}"), to: nil)
            #expect(defaults.object(forKey: "cafe\u{301}") == nil)
        }
    }

    enum End: Codable, CaseIterable { case synchronize, pause, exit, release }

    @Test(
        "Another process finds values that were synchronized, or set a moment before or an orderly end",
        arguments: End.allCases)
    func persisted(end: End) async throws {
        try await withSuite { name in
            await #expect(processExitsWith: .success) { [name = name as String, end = end as End] in
                var store: UserDefaultsStore? = UserDefaultsStore(suite: name)
                store?.set(.init("n", scope: .defaults), to: Data("5".utf8))
                switch end {
                case .synchronize: try store?.synchronize()
                #if os(Linux)
                    case .pause:
                        // UserDefaults creates the file empty, and then writes it.
                        while try filesOfSuite(name).allSatisfy({ try Data(contentsOf: $0).isEmpty }) { usleep(1_000) }
                        _exit(0)
                #else
                    case .pause: break
                #endif
                case .exit: withExtendedLifetime(store) { Foundation.exit(0) }
                case .release:
                    weak let released = store
                    store = nil
                    try #require(released == nil)
                }
            }
            await #expect(processExitsWith: .success) { [name = name as String] in
                let store = UserDefaultsStore(suite: name)
                try #require(store.get(.init("n", scope: .defaults)) == Data("5".utf8))
            }
        }
    }
}
