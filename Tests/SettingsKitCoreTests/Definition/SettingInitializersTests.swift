import Foundation
import SettingsKitCore
import Testing

enum Theme: String, Codable, Sendable { case system, dark, light }

extension SettingsService.SettingDefinition {
    fileprivate static let plain = Setting<Int>("plain", in: .defaults, default: 0)
    fileprivate static let shared = Setting<Theme>("shared", in: .shared, default: .system)
    fileprivate static let custom = Setting<String>("custom", in: .custom(id: "vault"), default: "")
    fileprivate static let optional = Setting<String?>("optional", in: .defaults)
    fileprivate static let clamped = Setting<Double>("clamped", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    fileprivate static let transformed = Setting<Date>(
        "transformed", in: .defaults, default: .distantPast, transformer: DateTransformer())
    fileprivate static let optionalTransformed = Setting<Date?>(
        "optionalTransformed", in: .defaults, transformer: ListTransformer())
    fileprivate static let trimmed = Setting<String?>("trimmed", in: .defaults) { $0.map { String($0.prefix(3)) } }
    fileprivate static let computed = Setting<Int>("computed", in: .defaults, default: .computed { 6 * 7 })
    fileprivate static let computedClamped = Setting<Int>("computedClamped", in: .defaults, default: .computed { 3 }) {
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
        #expect(settings.get(.plain) == 0)
        settings.set(.plain, to: 2)
        settings[.plain] += 1
        #expect(settings[.plain] == 3)

        #expect(settings.get(.shared) == .system)
        settings.set(.shared, to: .dark)
        #expect(settings.get(.shared) == .dark)

        #expect(settings.get(.optional) == nil)
        settings.set(.optional, to: "x")
        #expect(settings.get(.optional) == "x")

        settings.set(.custom, to: "0000")
        #expect(settings.get(.custom) == "0000")

        #expect(settings.get(.transformed) == .distantPast)
        let moment = Date(timeIntervalSinceReferenceDate: 123.5)
        settings.set(.transformed, to: moment)
        #expect(settings.get(.transformed) == moment)
        settings.set(.optionalTransformed, to: moment)
        #expect(try settings.load(.optionalTransformed) == moment)
        settings.set(.optionalTransformed, to: nil)
        #expect(!settings.isSet(.optionalTransformed))

        #expect(settings.get(atFileScope) == 9)
        settings[atFileScope] = 10
        #expect(settings.get(atFileScope) == 10)
    }

    @Test("A value is processed before it is stored", arguments: [(2.0, 1.0), (-1, 0), (0.25, 0.25)])
    func processing(given: Double, stored: Double) throws {
        settings.set(.clamped, to: given)
        #expect(settings.get(.clamped) == stored)
        try settings.save(.clamped, to: given)
        #expect(try settings.load(.clamped) == stored)
        settings.update(.clamped) { $0 = given }
        #expect(settings.get(.clamped) == stored)
        settings.transaction { $0.set(.clamped, to: given) }
        #expect(try settings.load(.clamped) == stored)
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
        let counting = Setting<Int>("counting", in: .defaults, default: .computed { next.value })
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
        let definition: SettingsService.SettingDefinition = .custom
        #expect(definition.key == .init("custom", scope: .custom(id: "vault")))
        #expect("\(definition.key)" == "\"custom\" in .custom(id: \"vault\")")
    }
}
