import Foundation
import SettingsKit
import Testing

// The programs of the design brief, with nothing but `import SettingsKit`: they must compile and do what they say. Property
// wrappers, namespaces, migrations, records, layers, catalogues, servers and databases are in the guides, whose code runs, too.

private enum Theme: String, Codable, Sendable { case system, light, dark }

extension SettingsService.SettingDefinition {
    fileprivate static let launchCount = Setting<Int>("launchCount", in: .defaults, default: 0)
    fileprivate static let theme = Setting<Theme>("theme", in: .shared, default: .system)
    fileprivate static let nickname = Setting<String?>("nickname", in: .defaults)
    fileprivate static let vaultPin = Setting<String>("pin", in: .custom(id: "vault"), default: "")
    fileprivate static let volume = Setting<Double>("volume", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    fileprivate static let stamp = Setting<Date>(
        "stamp", in: .defaults, default: .distantPast, transformer: PropertyListTransformer())
    fileprivate static let token = Setting<[String]>(
        "token", in: .defaults, default: [],
        transformer: JSONTransformer<[String]>().append(transformer: SealingTransformer(key: 0x5A)))
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

@Suite("The public face", .timeLimit(Rounds.timeLimit))
struct PublicFaceTests {
    private func service(in directory: String) throws -> SettingsService {
        SettingsService(
            defaults: try PropertyListStore(url: URL(fileURLWithPath: directory + "/Settings.plist")),
            shared: try DirectoryStore(
                at: URL(fileURLWithPath: directory + "/shared"), state: URL(fileURLWithPath: directory + "/state")),
            storesForCustomScopes: [.custom(id: "vault"): VaultStore()], diagnosticSink: .none)
    }

    @Test("The public face: read and write")
    func readAndWrite() throws {
        try withTemporaryDirectory { directory in
            let settings = try service(in: directory)
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
            #expect(try settings.load(.launchCount) == 1 && settings.get(.nickname) == "x")
            try settings.save(.launchCount, to: 5)
            settings.set(.vaultPin, to: "1234")
            #expect(settings.get(.vaultPin) == "1234")
            settings.set(.volume, to: 7)
            #expect(settings.get(.volume) == 1)
            settings.set(.theme, to: .dark)
            settings.set(.stamp, to: Date(timeIntervalSince1970: 0.5))
            settings.set(.token, to: ["secret"])
            try settings.synchronize()
            try settings.bringUpToDate()
            let again = try service(in: directory)
            #expect(again.get(.theme) == .dark && again.get(.stamp) == Date(timeIntervalSince1970: 0.5))
            #expect(again.get(.token) == ["secret"] && again.get(.launchCount) == 5)
            try settings.remove(.launchCount)
            try settings.save { t in t.update(.launchCount) { $0 += 2 } }
            #expect(settings.transaction { t in t.get(.launchCount) } == 2)
            settings.reset(scope: .defaults)
            #expect(settings.get(.launchCount) == 0 && settings.isDefault(.nickname))
        }
    }

    @Test("The public face: listen")
    func listen() async throws {
        try await withTemporaryDirectory { directory in
            let settings = try service(in: directory)
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
            #expect(heard.all == [.dark, .light])
            token.cancel()
            let subscription: SettingsService.Subscription = settings.observe(.launchCount) { _ in }
            subscription.cancel()
        }
    }
}
