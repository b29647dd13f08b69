import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsKitCore

@Suite("What a program has used")
struct UsageTests {
    private typealias Setting = SettingsService.Setting

    private let all = ["get", "load", "observe", "value", "transaction", "update", "set", "none"].map {
        Setting<Int>($0, in: .defaults, default: 0)
    }
    private var catalogue: SettingsCatalogue { SettingsCatalogue("Player", [SettingsGroup("All", all)]) }

    @Test("Reading and listening are use; setting and listing are none", arguments: [true, false])
    func unread(isExhaustive: Bool) async throws {
        let store: any SettingsStore = isExhaustive ? MemoryStore() : TwoFunctions()
        let settings = SettingsService.over(store)
        _ = catalogue.rows(in: settings)
        _ = catalogue.check(in: settings)
        _ = settings.source(of: all[0])
        #expect(catalogue.usage(in: settings).unreadSettings == all.map(\.key.name))
        _ = settings.get(all[0])
        _ = try settings.load(all[1])
        settings.observe(all[2]) { _ in }.cancel()
        _ = settings.value(all[3]).value
        settings.transaction { _ = $0.get(all[4]) }
        settings.update(all[5]) { $0 += 1 }
        settings.set(all[6], to: 1)
        #expect(catalogue.usage(in: settings).unreadSettings == ["set", "none"])
        _ = settings.get(all[6])
        #expect(catalogue.usage(in: settings).unreadSettings == ["none"])
        #expect(catalogue.usage(in: SettingsService.over(store)).unreadSettings.count == all.count)
    }

    @Test("Listeners to several settings use them, and a setting that is gone was used")
    func groups() {
        let settings = SettingsService.over(MemoryStore())
        settings.observe(all[0], all[1]) { _ in }.cancel()
        _ = settings.get(Setting<Int>("load", in: .defaults, default: 0))
        _ = settings.get(Setting<Int>("none", in: .defaults, default: 0))
        #expect(catalogue.usage(in: settings).unreadSettings == ["observe", "value", "transaction", "update", "set"])
    }

    @Test("A record has read its fields, whatever their names")
    func record() throws {
        struct Server: SettingsRecord { var get = 1; var load = 2; static let empty = Server() }
        let store = MemoryStore()
        let settings = SettingsService.over(store)
        let server = try SettingsStorage<Server>(in: store)
        #expect(server[\.get] == 1)
        // The record has a service of its own, so that it does not count here.
        #expect(catalogue.usage(in: settings).unreadSettings.count == all.count)
    }

    @Test("Names that no setting has are listed, with the nearest one")
    func unknown() throws {
        let store = MemoryStore(["gte": Data("1".utf8)])
        let settings = SettingsService.over(
            try LayeredStore([
                .arguments(["--gett=1", "--get", "2", "--no-load", "--version"]),
                .environment(prefix: "APP_", ["APP_LAOD": "1", "APP_GET": "2"]), .writable(store),
            ]))
        let usage = catalogue.usage(in: settings)
        #expect(
            usage.unknownNames.map { "\($0.kind) \($0.name ?? "") \($0.otherName ?? "")" } == [
                "unknownOption --gett --get", "unknownOption --version ", "unknownVariable APP_LAOD APP_LOAD",
                "unknownName gte get",
            ])
        #expect("\(usage)".contains("--gett: No setting reads this option. Did you mean --get?\n"))
        #expect("\(usage)".hasPrefix("get: The program has not read this setting.\n"))
        #expect(catalogue.check(in: settings).map(\.kind).filter { $0 == .unknownOption }.isEmpty)
    }
}

/// A store of two functions.
private final class TwoFunctions: SettingsStore {
    private let contents = Mutex<[String: Data]>([:])
    func get(_ key: SettingsService.StorageKey) -> Data? { contents.withLock { $0[key.name] } }
    func set(_ key: SettingsService.StorageKey, to data: Data?) { contents.withLock { $0[key.name] = data } }
}
