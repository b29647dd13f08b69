import Foundation
import SettingsKitCore
import Testing

@Suite("A default that is computed once", .timeLimit(Rounds.timeLimit))
struct OnceDefaultTests {
    private static func setting() -> Setting<UUID> {
        Setting<UUID>("installation", in: .defaults, default: .once { UUID() })
    }

    @Test("It is stored at the first read, and every later read returns it", arguments: StoreKind.allCases)
    func stored(kind: StoreKind) throws {
        let (store, setting) = (kind.make(), Self.setting())
        let settings = SettingsService.over(store)
        #expect(!settings.isSet(setting))
        #expect(settings.source(of: setting) == .default)
        #expect(try store.get(setting.key) == nil)
        let first = settings.get(setting)
        #expect(settings.isSet(setting) && settings.get(setting) == first)
        #expect(try SettingsService.over(store).load(Self.setting()) == first)
        #expect(store.get(Self.setting()) == first)
    }

    @Test("Where it cannot be stored, it is kept in memory and diagnosed once")
    func unwritable() {
        let problems = Recorder<SettingsError>()
        let store = FeedStore(willWrite: { _ in throw SettingsError(.readOnly) })
        let settings = SettingsService.over(store, problems)
        let setting = Self.setting()
        let first = settings.get(setting)
        for _ in 0..<3 { #expect(settings.get(setting) == first) }
        #expect(problems.all.map(\.code) == [.readOnly])
        store.changeFromOutside([("other", "1")])
        #expect(settings.get(setting) == first)
    }

    @Test("A transaction that reads it gets the value that the next read stores")
    func transaction() throws {
        let (store, setting) = (MemoryStore(), Self.setting())
        let settings = SettingsService.over(store)
        let first = settings.transaction { $0.get(setting) }
        #expect(store.get(setting.key) == nil)
        #expect(settings.get(setting) == first && store.get(setting.key) != nil)
        settings.reset(setting)
        #expect(settings.get(setting) != first)
    }

    @Test("It is one value for as long as something is stored that is no value of the setting, which stays")
    func undecodable() {
        let store = MemoryStore(["installation": Data("oops".utf8)])
        let (settings, setting) = (SettingsService.over(store, Recorder()), Self.setting())
        let first = settings.get(setting)
        for _ in 0..<3 { #expect(settings.get(setting) == first) }
        #expect(store.get(setting.key) == Data("oops".utf8))
    }

    @Test("It is neither processed nor validated, and the first read returns what is stored")
    func exact() {
        let number = Setting<Int>("n", in: .defaults, default: .once { 500 }, validation: .range(0...9)) { min($0, 9) }
        let store = MemoryStore()
        let settings = SettingsService.over(store)
        #expect(settings.get(number) == 500 && store.get(number.key) == Data("500".utf8))
    }
}
