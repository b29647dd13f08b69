import Foundation
import SettingsKitCore
import Testing

private enum Theme: String, Codable, Sendable { case system, dark }

extension SettingsService.SettingDefinition {
    fileprivate static let plain = Setting<Int>("plain", in: .defaults, default: 0)
    fileprivate static let shared = Setting<Theme>("shared", in: .shared, default: .system)
    fileprivate static let custom = Setting<String>("custom", in: .custom(id: "vault"), default: "")
    fileprivate static let optional = Setting<String?>("optional", in: .defaults) { $0.map { String($0.prefix(3)) } }
    fileprivate static let transformed = Setting<Date>(
        "transformed", in: .defaults, default: .distantPast, transformer: DateTransformer())
    fileprivate static let optionalTransformed = Setting<Date?>(
        "optionalTransformed", in: .defaults, transformer: ListTransformer())
    fileprivate static let computed = Setting<Int>("computed", in: .defaults, default: .computed { 6 * 7 }) {
        min($0, 50)
    }
    fileprivate static let even = Setting<Int>(
        "even", in: .defaults, default: 0, transformer: JSONTransformer()
    ) { $0 & ~1 }
}

/// Outside of the extension, and without a prefix.
private let atFileScope = Setting<Int>("atFileScope", in: .defaults, default: 9)

@Suite("Defining settings")
struct SettingInitializersTests {
    private let settings: SettingsService = {
        let vault = SettingsService.Scope.custom(id: "vault")
        return SettingsService(
            stores: [.defaults: MemoryStore(), .shared: TwoFunctionStore(), vault: MemoryStore()],
            diagnosticSink: .init { Issue.record("\($0)") })
    }()

    /// Expects the default, sets a value in each way, and expects what is stored for it.
    private func check<T: Equatable>(_ setting: Setting<T>, _ default: T, _ value: T, storedAs stored: T? = nil) throws
    {
        let stored = stored ?? value
        let ways: [() throws -> Void] = [
            { settings.set(setting, to: value) }, { try settings.save(setting, to: value) },
            { settings[setting] = value }, { settings.update(setting) { $0 = value } },
            { settings.transaction { $0.set(setting, to: value) } },
        ]
        for change in ways {
            #expect(try settings.get(setting) == `default` && settings.load(setting) == `default`)
            try change()
            #expect(try settings.get(setting) == stored && settings.load(setting) == stored)
            settings.reset(setting)
        }
    }

    @Test("A setting of every form of definition reads as its default, and as the value set, which may be processed")
    func everyForm() throws {
        let moment = Date(timeIntervalSinceReferenceDate: 123.5)
        try check(.plain, 0, 2)
        try check(.shared, .system, .dark)
        try check(.custom, "", "0000")
        try check(.optional, nil, "abcd", storedAs: "abc")
        try check(.transformed, .distantPast, moment)
        try check(.optionalTransformed, nil, moment)
        try check(.computed, 42, 60, storedAs: 50)
        try check(.even, 0, 7, storedAs: 6)
        try check(atFileScope, 9, 10)
        settings.set(.optionalTransformed, to: moment)
        settings.set(.optionalTransformed, to: nil)
        #expect(!settings.isSet(.optionalTransformed))
    }

    @Test("A default from a closure is computed at each read")
    func computedDefault() {
        let next = Box(1)
        let counting = Setting<Int>("counting", in: .defaults, default: .computed { next.value })
        #expect(settings.get(counting) == 1)
        next.value = 2
        #expect(settings.get(counting) == 2)
        settings.set(counting, to: 7)
        #expect(settings.get(counting) == 7)
        settings.reset(counting)
        next.value = 3
        #expect(settings.get(counting) == 3 && !settings.isSet(counting))
    }
}

/// An index is used again after its setting has gone, by settings of other types.
@Suite("Settings that come and go (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct DynamicSettingsConcurrencyTests {
    private struct Point: Codable, Sendable, Equatable { var x = 1.5, y = 2.5, z = 3.5, w = 4.5 }

    /// Makes, uses and drops a setting of one of four types.
    private func use(_ number: Int, in service: SettingsService) {
        func check<T: Equatable>(_ setting: Setting<T>, _ value: T) {
            _ = service.get(setting)
            service.set(setting, to: value)
            #expect(service.get(setting) == value)
            service.reset(setting)
            #expect(service.get(setting) == setting.defaultValue)
        }
        switch number % 4 {
        case 0: check(Setting<Int>("int", in: .defaults, default: -1), number)
        case 1: check(Setting<String>("string", in: .defaults, default: "?"), "s\(number)")
        case 2: check(Setting<Point?>("point", in: .defaults), Point(x: Double(number)))
        default: check(Setting<[String]>("list", in: .defaults, default: []), ["\(number)"])
        }
    }

    @Test("Settings that are made and dropped have their values, and a dropped one its listeners")
    func comeAndGo() {
        let store = MemoryStore()
        let services = [SettingsService.over(store), SettingsService.over(store)]
        let told = Recorder<Int>()
        func number() -> Setting<Int> { Setting("n", in: .defaults, default: 0) }
        let subscription = services[0].observe(number()) { told.append($0.newValue) }
        for number in 0..<Rounds.choose(2_000, full: 10_000) { for service in services { use(number, in: service) } }
        services[0].set(number(), to: 5)
        subscription.cancel()
        services[0].set(number(), to: 6)
        #expect(told.all == [5])
    }

    @Test("Settings of several services are dropped on other threads than the services")
    func crossedLifetimes() {
        let store = MemoryStore()
        for _ in 0..<200 {
            let services = Box((0..<4).map { _ in SettingsService.over(store) })
            let settings = Box((0..<8).map { Setting<Int>("n\($0)", in: .defaults, default: 0) })
            for service in services.value { for setting in settings.value { service.set(setting, to: 1) } }
            inParallel(2) { thread in
                if thread == 0 { services.value = [] } else { settings.value = [] }
            }
        }
    }
}
