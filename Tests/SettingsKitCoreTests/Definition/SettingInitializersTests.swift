import Foundation
import SettingsKitCore
import Testing

enum Theme: String, Codable, Sendable { case system, dark, light }

extension SettingsService.SettingDefinition {
    fileprivate static let launchCount = Setting<Int>("launchCount", in: .defaults, default: 0)
    fileprivate static let theme = Setting<Theme>("theme", in: .shared, default: .system)
    fileprivate static let nickname = Setting<String?>("nickname", in: .defaults)
    fileprivate static let vaultPin = Setting<String>("pin", in: .custom(id: "vault"), default: "")
    fileprivate static let volume = Setting<Double>("volume", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    fileprivate static let stamp = Setting<Date>(
        "stamp", in: .defaults, default: .distantPast, transformer: DateTransformer())
    fileprivate static let until = Setting<Date?>("until", in: .defaults, transformer: ListTransformer())
    fileprivate static let trimmed = Setting<String?>("trimmed", in: .defaults) { $0.map { String($0.prefix(3)) } }
    fileprivate static let computed = Setting<Int>("computed", in: .defaults, default: { 6 * 7 })
    fileprivate static let computedClamped = Setting<Int>("computedClamped", in: .defaults, default: { 3 }) {
        min($0, 10)
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

    @Test("A setting of every form of definition reads as its default and as the value set")
    func everyForm() throws {
        #expect(settings.get(.launchCount) == 0)
        settings.set(.launchCount, to: 2)
        settings[.launchCount] += 1
        #expect(settings[.launchCount] == 3)

        #expect(settings.get(.theme) == .system)
        settings.set(.theme, to: .dark)
        #expect(settings.get(.theme) == .dark)

        #expect(settings.get(.nickname) == nil)
        settings.set(.nickname, to: "x")
        #expect(settings.get(.nickname) == "x")

        settings.set(.vaultPin, to: "0000")
        #expect(settings.get(.vaultPin) == "0000")

        #expect(settings.get(.stamp) == .distantPast)
        let moment = Date(timeIntervalSinceReferenceDate: 123.5)
        settings.set(.stamp, to: moment)
        #expect(settings.get(.stamp) == moment)
        settings.set(.until, to: moment)
        #expect(try settings.load(.until) == moment)
        settings.set(.until, to: nil)
        #expect(!settings.isSet(.until))

        #expect(settings.get(atFileScope) == 9)
        settings[atFileScope] = 10
        #expect(settings.get(atFileScope) == 10)
    }

    @Test("A value is processed before it is stored", arguments: [(2.0, 1.0), (-1, 0), (0.25, 0.25)])
    func processing(given: Double, stored: Double) throws {
        settings.set(.volume, to: given)
        #expect(settings.get(.volume) == stored)
        try settings.save(.volume, to: given)
        #expect(try settings.load(.volume) == stored)
        settings.update(.volume) { $0 = given }
        #expect(settings.get(.volume) == stored)
        settings.transaction { $0.set(.volume, to: given) }
        #expect(try settings.load(.volume) == stored)
    }

    @Test("A trailing closure is the processing, also without a default and behind a transformer")
    func trailingClosures() {
        settings.set(.trimmed, to: "abcdef")
        #expect(settings.get(.trimmed) == "abc")
        settings.set(.computedClamped, to: 50)
        #expect(settings.get(.computedClamped) == 10)
        settings.set(.even, to: 7)
        #expect(settings.get(.even) == 6)
    }

    @Test("A default from a closure is computed at each read")
    func computedDefault() {
        #expect(settings.get(.computed) == 42)
        let next = Box(1)
        let counting = Setting<Int>("counting", in: .defaults, default: { next.value })
        #expect(settings.get(counting) == 1)
        next.value = 2
        #expect(settings.get(counting) == 2)
        settings.set(counting, to: 7)
        next.value = 3
        #expect(settings.get(counting) == 7)
        settings.reset(counting)
        #expect(settings.get(counting) == 3)
        next.value = 4
        #expect(settings.get(counting) == 4)
    }

    @Test("A default is not processed")
    func defaultIsNotProcessed() {
        let odd = Setting<Int>("odd", in: .defaults, default: 99) { min($0, 10) }
        #expect(settings.get(odd) == 99)
        #expect(odd.defaultValue == 99)
    }

    @Test("A setting knows its name and scope")
    func key() {
        let definition: SettingsService.SettingDefinition = .vaultPin
        #expect(definition.key == .init("pin", scope: .custom(id: "vault")))
        #expect("\(definition.key)" == "\"pin\" in .custom(id: \"vault\")")
    }
}
