import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Problems that a catalogue finds")
struct CatalogueProblemsTests {
    private let catalogue = SettingsCatalogue.player

    @Test("Without problems, there are none")
    func none() {
        let store = TwoFunctionStore(["port": Data("80".utf8)])
        #expect(catalogue.check(in: .over(store)).isEmpty)
        #expect(catalogue.check(in: .over(SampleLayers([(nil, ["SettingsKit:migrations": "[]"])]))).isEmpty)
    }

    @Test("All problems are found at once, in every layer, with the nearest names")
    func all() {
        let store = SampleLayers([
            ("environment", ["port": "99999"]), (nil, ["port": "\"x\"", "user": "\"\"", "prot": "1", "zzz": "2"]),
            ("system", ["volume": "7"]),
        ])
        let problems = catalogue.check(in: .over(store))
        let found = problems.map { "\($0.kind) \($0.name ?? "") \($0.error?.layer ?? "-") \($0.otherName ?? "-")" }
        #expect(
            found == [
                "value volume system -", "value port environment -", "value port - -", "value user - -",
                "unknownName prot - port", "unknownName zzz - -",
            ])
        #expect(problems[1].error?.code == .invalidValue && problems[2].error?.code == .decodingFailed)
        #expect(problems[4].description == "prot: There is no setting of this name in .defaults. Did you mean port?")
        #expect(problems[1].description.contains("Expected: an integer from 1 to 65535."))
        for problem in problems { #expect(!problem.description.contains("99999")) }
    }

    @Test("A store that cannot be read is one problem")
    func unreadable() {
        let store = TwoFunctionStore(willGet: { _ in throw StoreBroken() })
        let problems = catalogue.check(in: .over(store))
        #expect(problems.map(\.kind) == [.store] && problems.first?.error?.code == .readFailed)
        let missing = SettingsService(stores: [:], diagnosticSink: .standard)
        #expect(catalogue.check(in: missing).map(\.error?.code) == [.noStore])
        #expect(catalogue.rows(in: missing).allSatisfy { $0.problem?.code == .noStore && $0.source == .default })
    }

    @Test("Two settings with one spelling as an argument or a variable are a problem")
    func spellings() {
        let one = Setting<Int>("launchCount", in: .defaults, default: 1)
        let two = Setting<Int>("launch.count", in: .defaults, default: 1)
        let negated = Setting<Int>("no-muted", in: .defaults, default: 1)
        let elsewhere = Setting<Int>("launch-count", in: .shared, default: 1)
        let catalogue = SettingsCatalogue("Test", [SettingsGroup("All", [one, two, .playerMuted, negated, elsewhere])])
        let service = SettingsService(
            stores: [.defaults: MemoryStore(), .shared: MemoryStore()], diagnosticSink: .standard)
        let problems = catalogue.check(in: service)
        #expect(problems.map(\.kind) == [.sameSpelling, .sameSpelling])
        #expect(problems.map(\.name) == ["launch.count", "no-muted"])
        #expect(problems.map(\.otherName) == ["launchCount", "muted"])
        #expect(problems[0].description.contains("LAUNCH_COUNT"))
    }

    @Test("Two definitions of one name are a problem if their types differ")
    func definitions() {
        let number = Setting<Int>("twice", in: .defaults, default: 1)
        let text = Setting<String>("twice", in: .defaults, default: "")
        let again = Setting<Int>("twice", in: .defaults, default: 2)
        func kinds(_ settings: [SettingsService.SettingDefinition]) -> [SettingsCatalogue.Problem.Kind] {
            SettingsCatalogue("Test", [SettingsGroup("All", settings)]).check(in: .over(MemoryStore())).map(\.kind)
        }
        #expect(kinds([number, text]) == [.conflictingDefinitions])
        #expect(kinds([number, again]).isEmpty && kinds([number, number]).isEmpty)
    }

    @Test("Hostile names appear as escapes in problems")
    func hostileNames() {
        let store = SampleLayers([(nil, ["\u{1B}[2J\nport": "1"])])
        let problem = catalogue.check(in: .over(store)).first
        #expect(
            problem?.description
                == #"\u{1B}[2J\nport: There is no setting of this name in .defaults. Remove it, if nothing else uses it."#
        )
    }
}
