import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

/// The programs of the design brief, with nothing but `import SettingsKit`: they must compile and do what they say.

private enum Theme: String, Codable, Sendable {
    case system, light, dark
}

extension SettingsService.SettingDefinition {
    fileprivate static let launchCount = Setting<Int>("launchCount", in: .defaults, default: 0)
    fileprivate static let theme = Setting<Theme>("theme", in: .shared, default: .system)
    fileprivate static let nickname = Setting<String?>("nickname", in: .defaults)
    fileprivate static let vaultPin = Setting<String>("pin", in: .custom(id: "vault"), default: "")
    fileprivate static let volume = Setting<Double>("volume", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    fileprivate static let stamp = Setting<Date>(
        "stamp", in: .defaults, default: .distantPast, transformer: PropertyListTransformer())
}

private final class VaultStore: SettingsStore {
    private let items = Mutex<[String: Data]>([:])

    func get(_ key: SettingsService.StorageKey) throws -> Data? { items.withLock { $0[key.name] } }
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws { items.withLock { $0[key.name] = data } }
}

private struct SealingTransformer: Transformer {
    let key: UInt8

    func transformValue(_ value: Data) throws -> Data { Data(value.map { $0 ^ key }) }
    func untransformValue(_ output: Data) throws -> Data { Data(output.map { $0 ^ key }) }
}

@Suite("The public face")
struct PublicFaceTests {
    private func withService(_ body: (SettingsService, String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let settings = SettingsService(
                defaults: try PropertyListStore(url: URL(fileURLWithPath: directory + "/Settings.plist")),
                shared: try PropertyListStore(url: URL(fileURLWithPath: directory + "/Shared.plist")),
                storesForCustomScopes: [.custom(id: "vault"): VaultStore()], diagnosticSink: .none)
            try await body(settings, directory)
        }
    }

    @Test("The public face: read and write")
    func readAndWrite() async throws {
        try await withService { settings, _ in
            settings.register(MemoryStore(), for: .custom(id: "other"))
            settings.set(.launchCount, to: 2)
            let count = settings.get(.launchCount)
            #expect(count == 2)
            settings[.launchCount] = 3
            settings.update(.launchCount) { $0 += 1 }
            #expect(settings[.launchCount] == 4)
            settings.reset(.launchCount)
            #expect(!settings.isSet(.launchCount))
            settings.transaction { t in
                t.set(.launchCount, to: 1)
                t.set(.nickname, to: "x")
            }
            #expect(try settings.load(.launchCount) == 1)
            #expect(settings.get(.nickname) == "x")
            try settings.save(.launchCount, to: 5)
            settings.set(.vaultPin, to: "1234")
            #expect(settings.get(.vaultPin) == "1234")
            settings.set(.volume, to: 7)
            #expect(settings.get(.volume) == 1)
            settings.set(.stamp, to: Date(timeIntervalSince1970: 0.5))
            #expect(settings.get(.stamp) == Date(timeIntervalSince1970: 0.5))
            try settings.synchronize()
            try settings.bringUpToDate()
            try settings.remove(.launchCount)
            settings.reset(.nickname, .volume)
            #expect(settings.isDefault(.launchCount) && settings.isDefault(.nickname) && settings.get(.volume) == 0.5)
            let sum = try settings.save { t in
                t.update(.launchCount) { count in
                    count += 2
                    return count
                }
            }
            #expect(sum == 2 && settings.transaction { t in t.get(.launchCount) } == 2)
            settings.reset(scope: .defaults)
            #expect(settings.get(.launchCount) == 0)
        }
    }

    @Test("A new service over the same files has the values that were set")
    func restart() async throws {
        try await withService { settings, directory in
            settings.set(.theme, to: .dark)
            settings.set(.stamp, to: Date(timeIntervalSince1970: 9))
            try settings.synchronize()
            let again = SettingsService(
                defaults: try PropertyListStore(url: URL(fileURLWithPath: directory + "/Settings.plist")),
                shared: try PropertyListStore(url: URL(fileURLWithPath: directory + "/Shared.plist")))
            #expect(again.get(.theme) == .dark)
            #expect(again.get(.stamp) == Date(timeIntervalSince1970: 9))
            let text = try String(contentsOfFile: directory + "/Shared.plist", encoding: .utf8)
            #expect(text.contains("<string>dark</string>"))
        }
    }

    @Test("The public face: listen")
    func listen() async throws {
        try await withService { settings, _ in
            let heard = Recorder<Theme>()
            let token = settings.observe(.theme) { change in heard.append(change.newValue) }
            let changes = settings.changes(of: .theme)
            let live = settings.value(.theme)
            live.value = .dark
            live.set(.light)
            for await theme in settings.values(of: .theme) {
                #expect(theme == .light)
                break
            }
            var seen: [String] = []
            for await change in changes {
                seen.append("\(change.oldValue)-\(change.newValue)-\(change.origin)")
                if seen.count == 2 { break }
            }
            #expect(seen == ["system-dark-local", "dark-light-local"])
            for await (theme, count) in settings.values(of: .theme, .launchCount) {
                #expect(theme == .light && count == 0)
                break
            }
            let others = settings.observe(.theme, from: .external) { change in heard.append(change.newValue) }
            others.cancel()
            #expect(heard.all == [.dark, .light])
            token.cancel()
            let subscription: SettingsService.Subscription = settings.observe(.launchCount) { _ in }
            subscription.cancel()
        }
    }

    @Test("A scope without a store reads as the default and is reported")
    func noStore() async throws {
        let settings = SettingsService(defaults: nil, diagnosticSink: .none)
        #expect(settings.get(.theme) == .system)
        for await problem in settings.diagnostics {
            #expect(problem.code == .noStore)
            break
        }
        #expect(throws: SettingsError.self) { try settings.save(.theme, to: .dark) }
        do {
            _ = try settings.load(.vaultPin)
            Issue.record("it must throw")
        } catch SettingsError.Code.noStore {
            #expect(settings.get(.vaultPin) == "")
        }
    }

    @Test("Transformers chain")
    func transformers() throws {
        let sealed = JSONTransformer<[String]>().append(transformer: SealingTransformer(key: 0x5A))
        let setting = Setting<[String]>("token", in: .defaults, default: [], transformer: sealed)
        let store = MemoryStore()
        let settings = SettingsService(defaults: store)
        try settings.save(setting, to: ["secret"])
        #expect(try settings.load(setting) == ["secret"])
        #expect(store.get(setting.key) == Data(#"["secret"]"#.utf8.map { $0 ^ 0x5A }))
    }

    @Test("UserDefaults is a store")
    func userDefaults() throws {
        try withSuite { name in
            let settings = SettingsService(defaults: UserDefaultsStore(suite: name))
            settings.set(.nickname, to: "new-value")
            #expect(UserDefaults(suiteName: name)?.object(forKey: "nickname") as? String == "new-value")
            _ = UserDefaultsStore.standard
        }
    }
}
