import Foundation
import Observation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKit

extension SettingsService.SettingDefinition {
    fileprivate static let volume = Setting<Double>("volume", in: .defaults, default: 0.5, help: "How loud to *play*.")
    fileprivate static let port = Setting<Int>(
        "port", in: .defaults, default: 8080, validation: .range(1...65_535), help: "The port to listen on.")
    fileprivate static let name = Setting<String>("name", in: .defaults, default: "")
    fileprivate static let isMuted = Setting<Bool>("isMuted", in: .defaults, default: false)
}

@Suite("The rows of a settings form", .timeLimit(Rounds.timeLimit))
@MainActor struct FormRowTests {
    private let settings = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)
    private let catalogue = SettingsCatalogue("Player") {
        SettingsGroup("Sound") {
            .volume; .isMuted
        }
        SettingsGroup("Server", [.port, .name])
    }

    @Test("A change updates the row of its setting alone, before set returns")
    func ownRow() async throws {
        let model = FormModel(.untranslated)
        var sections: [FormSection] = []
        let form = TrackingView { [catalogue, settings] in sections = model.sections(of: catalogue, in: settings) }
        let views = sections.flatMap(\.rows).map { row in TrackingView { _ = (row.item, row.message, row.text) } }
        settings.set(.volume, to: 0.75)
        #expect(views.map(\.updates) == [1, 0, 0, 0])
        #expect(sections[0].rows[0].item.input == "0.75")
        onAnotherThread { [settings] in settings.set(.port, to: 80) }
        try await untilOnMainActor { sections[1].rows[0].item.input == "80" }
        #expect(views.map(\.updates) == [1, 0, 1, 0] && form.updates == 0)
    }

    @Test("A stored value that the setting does not accept updates its row, and so does a lock")
    func problemsAndLocks() async throws {
        let (managed, own) = (MemoryStore(), MemoryStore())
        let store = try LayeredStore([.locked(managed, name: "managed"), .writable(own)])
        let service = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
        let model = FormModel(.untranslated)
        let port = model.sections(of: catalogue, in: service)[1].rows[0]
        own.set(key("port"), to: Data("0".utf8))
        try await untilOnMainActor { port.item.notes == ["The stored value is not an integer from 1 to 65535."] }
        managed.set(key("port"), to: Data("8080".utf8))
        try await untilOnMainActor { port.item.isLocked }
    }

    @Test("Asking for the sections again keeps the rows, and what is typed, unless the service differs")
    func sections() {
        let model = FormModel(.untranslated)
        let first = model.sections(of: catalogue, in: settings)
        #expect(first.map { $0.rows.map(\.id) } == [["volume", "isMuted"], ["port", "name"]])
        first[1].rows[0].text = "x"
        let again = SettingsCatalogue("Player", catalogue.groups.map { SettingsGroup($0.title, $0.settings) })
        #expect(model.sections(of: again, in: settings)[1].rows[0] === first[1].rows[0])
        let other = model.sections(of: SettingsCatalogue("Player", [SettingsGroup("All", [.port])]), in: settings)
        #expect(other.map(\.title) == ["All"] && other[0].rows[0].text == "x")
        let service = SettingsService(stores: [:], diagnosticSink: .none)
        #expect(model.sections(of: again, in: service)[1].rows[0].text == "8080")
    }

    private func ids(of sections: [FormSection], matching query: String) -> [String] {
        let found = sections.compactMap { $0.matching(query) { $0.localizedStandardContains($1) } }
        return found.flatMap(\.rows).map(\.id)
    }

    @Test("A search finds rows by their titles, names and help, and groups by their titles")
    func search() {
        let sections = FormModel(.untranslated).sections(of: catalogue, in: settings)
        for (query, names) in [
            ("  ", ["volume", "isMuted", "port", "name"]), ("VOL", ["volume"]), ("is muted", ["isMuted"]),
            ("ismuted", ["isMuted"]), ("loud", ["volume"]), ("sound", ["volume", "isMuted"]),
            ("server port", ["port"]), ("xyz", []),
        ] { #expect(ids(of: sections, matching: query) == names, "\(query)") }
    }

    @Test("A search finds the translated titles, and what is stored is not translated")
    func translations() {
        let german = ["Volume": "Lautstärke", "Sound": "Ton", "Reset": "Zurücksetzen", "Reset %@": "%@ zurücksetzen"]
        let texts = FormTexts { german[$0] ?? $0 }
        let sections = FormModel(texts).sections(of: catalogue, in: settings)
        #expect(sections[0].title == "Ton")
        let row = sections[0].rows[0]
        #expect(row.title == "Lautstärke" && row.resetTexts == ("Zurücksetzen", "Lautstärke zurücksetzen"))
        #expect(ids(of: sections, matching: "lautst") == ["volume"])
    }
}
