import Foundation
import SettingsKitCore
import Testing

private struct City: Codable, Sendable, Equatable { var name = "Oslo" }

/// `Optional` settings: nil with a default of nil, nil with another default, with and without a transformer.
@Suite("Optional values")
struct OptionalValuesTests {
    private let store = MemoryStore()
    private let settings: SettingsService

    init() {
        settings = .over(store, nil)
    }

    /// nil is stored by storing nothing.
    private func checkNilDefault<T: Equatable>(_ setting: Setting<T?>, _ value: T) throws {
        #expect(settings.get(setting) == nil)
        settings.set(setting, to: value)
        #expect(try settings.load(setting) == value)
        settings.set(setting, to: nil)
        #expect(!settings.isSet(setting))
        #expect(store.get(setting.key) == nil)
        #expect(settings.get(setting) == nil)
        settings.set(setting, to: value)
        settings.transaction { $0.set(setting, to: nil) }
        #expect(!settings.isSet(setting))
    }

    /// nil is a value of its own.
    private func checkOtherDefault<T: Equatable>(_ setting: Setting<T?>, _ value: T) throws {
        let told = Recorder<T?>()
        let subscription = settings.observe(setting) { told.append($0.newValue) }
        #expect(settings.get(setting) == setting.defaultValue)
        settings.set(setting, to: nil)
        #expect(settings.get(setting) == nil)
        #expect(try settings.load(setting) == nil)
        #expect(settings.isSet(setting))
        #expect(store.get(setting.key) == Data("null".utf8))
        #expect(SettingsService.over(store).get(setting) == nil)
        settings.set(setting, to: value)
        #expect(SettingsService.over(store).get(setting) == value)
        settings.update(setting) { $0 = nil }
        #expect(settings.isSet(setting))
        settings.reset(setting)
        #expect(settings.get(setting) == setting.defaultValue)
        #expect(!settings.isSet(setting))
        #expect(told.all == [nil, value, nil, setting.defaultValue])
        subscription.cancel()
    }

    @Test("nil removes where the default is nil")
    func nilDefault() throws {
        try checkNilDefault(Setting<Int?>("int", in: .defaults), 4)
        try checkNilDefault(Setting<String?>("string", in: .defaults), "null")
        try checkNilDefault(Setting<Bool?>("bool", in: .defaults, default: nil), false)
        try checkNilDefault(Setting<City?>("city", in: .defaults), City())
        try checkNilDefault(Setting<Data?>("data", in: .defaults), Data("null".utf8))
        try checkNilDefault(Setting<Data?>("empty", in: .defaults), Data())
        try checkNilDefault(Setting<[Int]?>("list", in: .defaults), [])
    }

    @Test("nil is stored where the default is not nil")
    func otherDefault() throws {
        try checkOtherDefault(Setting<Int?>("int", in: .defaults, default: 3), 4)
        try checkOtherDefault(Setting<String?>("string", in: .defaults, default: "x"), "null")
        try checkOtherDefault(Setting<City?>("city", in: .defaults, default: City(name: "Rome")), City())
        try checkOtherDefault(Setting<Data?>("data", in: .defaults, default: Data([1])), Data([2]))
        try checkOtherDefault(Setting<Data?>("empty", in: .defaults, default: Data([1])), Data())
        try checkOtherDefault(Setting<Int?>("computed", in: .defaults, default: .computed { 3 }), 4)
    }

    @Test("Optional values with transformers store nil as those without do")
    func transformers() throws {
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let list = ListTransformer<Date?>()
        try checkNilDefault(Setting<Date?>("d1", in: .defaults, transformer: list), date)
        try checkOtherDefault(Setting<Date?>("d2", in: .defaults, default: .distantPast, transformer: list), date)
        let json = JSONTransformer<Int?>()
        try checkNilDefault(Setting<Int?>("i1", in: .defaults, transformer: json), 4)
        try checkOtherDefault(Setting<Int?>("i2", in: .defaults, default: 1, transformer: json), 4)
        let sealed = JSONTransformer<String?>().append(transformer: XorTransformer(mask: 0x5A))
        try checkNilDefault(Setting<String?>("s1", in: .defaults, transformer: sealed), "a")
        try checkOtherDefault(Setting<String?>("s2", in: .defaults, default: "d", transformer: sealed), "a")
    }

    @Test("A value whose bytes are the ones of nil is refused, rather than read as nil")
    func reservedBytes() throws {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(store, problems)
        let setting = Setting<Data?>("raw", in: .defaults, default: Data([1]))
        settings.set(setting, to: Data([9]))
        settings.set(setting, to: Data("null".utf8))
        #expect(settings.get(setting) == Data([9]))
        #expect(problems.all.map(\.code) == [.encodingFailed])
    }

    @Test("A nil stored by a version whose default was not nil still reads as nil")
    func defaultChangesToNil() throws {
        func check<T: Equatable>(before: Setting<T?>, after: Setting<T?>) throws {
            settings.set(before, to: nil)
            #expect(try settings.load(after) == nil)
        }
        try check(
            before: Setting<String?>("s", in: .defaults, default: "x"), after: Setting<String?>("s", in: .defaults))
        let list = ListTransformer<Date?>()
        try check(
            before: Setting<Date?>("d", in: .defaults, default: .distantPast, transformer: list),
            after: Setting<Date?>("d", in: .defaults, transformer: list))
    }
}
