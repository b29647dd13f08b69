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
    fileprivate static let limit = Setting<Int?>("limit", in: .defaults)
    fileprivate static let homepage = Setting<URL?>("homepage", in: .defaults)
    fileprivate static let identity = Setting<UUID?>("identity", in: .defaults)
    fileprivate static let token = Setting<String>("token", in: .defaults, default: "", isSecret: true)
    fileprivate static let isMuted = Setting<Bool>("isMuted", in: .defaults, default: false)
    fileprivate static let rates = Setting<[Int]>("rates", in: .defaults, default: [])
}

@Suite("The rows of a settings form", .timeLimit(Rounds.timeLimit))
@MainActor struct FormRowTests {
    private let settings = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)
    private let english = NumberSeparators(decimal: ".", grouping: ",")
    private let german = NumberSeparators(decimal: ",", grouping: ".")
    private let catalogue = SettingsCatalogue("Player") {
        SettingsGroup("Sound") {
            .volume; .isMuted
        }
        SettingsGroup("Server", [.port, .name])
    }

    private func row(_ setting: SettingDefinition, in service: SettingsService? = nil) -> FormRow {
        FormRow(setting, named: setting.key.name, in: service ?? settings, .untranslated)
    }

    /// The row after a text was typed and submitted.
    private func submitted(_ text: String, to row: FormRow, _ numbers: NumberSeparators? = nil) -> FormRow {
        row.type(text, numbers ?? english)
        row.submit(numbers ?? english)
        row.refresh()
        return row
    }

    // MARK: Input

    @Test("A number is typed and shown with the separators of the region")
    func numbers() {
        #expect(row(.volume).text(german) == "0,5")
        #expect(submitted("0,25", to: row(.volume), german).text(german) == "0,25")
        #expect(settings.get(.volume) == 0.25)
        #expect(submitted("1,000", to: row(.port)).text(english) == "1000")
        #expect(settings.get(.port) == 1_000)
        #expect(submitted("1.234", to: row(.port), german).message == nil)
        #expect(settings.get(.port) == 1_234)
    }

    @Test("Spaces around what has a syntax are left out, and those around a text are kept")
    func spaces() {
        #expect(submitted(" 80 ", to: row(.port)).message == nil)
        #expect(settings.get(.port) == 80)
        _ = submitted("\t5\n", to: row(.limit))
        #expect(settings.get(.limit) == 5)
        _ = submitted("  ", to: row(.limit))
        #expect(settings.get(.limit) == nil)
        _ = submitted(" https://example.org ", to: row(.homepage))
        #expect(settings.get(.homepage)?.absoluteString == "https://example.org")
        let identity = UUID()
        _ = submitted("\(identity) ", to: row(.identity))
        #expect(settings.get(.identity) == identity)
        _ = submitted(" [1, 2] ", to: row(.rates))
        #expect(settings.get(.rates) == [1, 2])
        _ = submitted(" Ann ", to: row(.name))
        #expect(settings.get(.name) == " Ann ")
        _ = submitted(" pass ", to: row(.token))
        #expect(settings.get(.token) == " pass ")
    }

    @Test("A refused text stays in the field with the reason, until another one is stored")
    func refused() {
        let row = submitted("99999", to: row(.port))
        #expect(row.text(english) == "99999")
        #expect(row.message == "Enter an integer from 1 to 65535.")
        // As when the field loses the focus after the text was submitted.
        row.submit(english)
        #expect(row.text(english) == "99999" && row.message != nil)
        // Another program changes the setting meanwhile.
        settings.set(.port, to: 90)
        row.refresh()
        #expect(row.text(english) == "99999" && row.item.input == "90")
        row.type("9999", english)
        #expect(row.message == nil)
        row.submit(english)
        row.refresh()
        #expect(row.text(english) == "9999" && settings.get(.port) == 9_999)
        #expect(submitted("0,5", to: row).message == "Enter an integer from 1 to 65535.")
    }

    @Test("A number with the separators of another region is refused, and not taken for another number")
    func otherRegion() {
        settings.set(.volume, to: 0.75)
        let row = submitted("1.5", to: row(.volume), german)
        #expect(row.message == "Enter a number." && row.text(german) == "1.5")
        #expect(settings.get(.volume) == 0.75)
    }

    @Test("A field that is left unchanged stores nothing")
    func unchanged() {
        for setting in [.port, .name, .limit, .token, .volume] as [SettingDefinition] {
            let row = row(setting)
            // A field reports its text although it was not edited.
            row.type(row.text(german), german)
            row.submit(german)
            row.type("1", german)
            row.type(row.item.shown(german), german)
            row.submit(german)
        }
        #expect(settings.keys(in: .defaults).isEmpty)
    }

    @Test("Resetting removes the value and what is typed")
    func reset() {
        settings.set(.port, to: 81)
        let row = submitted("x", to: row(.port))
        row.reset()
        row.refresh()
        #expect(row.text(english) == "8080" && row.message == nil && !settings.isSet(.port))
        #expect(row.resetTexts == ("Reset", "Reset Port"))
    }

    @Test("A choice that is refused is explained, and an accepted one ends that")
    func choices() {
        let row = row(.port)
        row.choose("0")
        #expect(row.message == "Enter an integer from 1 to 65535.")
        row.choose("1")
        #expect(row.message == nil && settings.get(.port) == 1)
    }

    @Test("The kind of a text decides on the keyboard, capitals and corrections")
    func textKinds() {
        #expect(row(.port).item.textKind == .integer && row(.volume).item.textKind == .number)
        #expect(row(.limit).item.textKind.keyboard == .numbersAndPunctuation)
        #expect(row(.homepage).item.textKind.keyboard == .url)
        #expect(row(.identity).item.textKind == .code && row(.rates).item.textKind == .code)
        let prose = [.port, .volume, .homepage, .identity, .rates, .name].map { row($0).item.textKind.isProse }
        #expect(prose == [false, false, false, false, false, true])
    }

    // MARK: Updates

    /// Counts how often what a view reads has changed.
    @MainActor private final class TestView {
        private(set) var updates = 0
        private let read: @MainActor () -> Void

        init(_ read: @escaping @MainActor () -> Void) {
            self.read = read
            body()
        }

        private func body() {
            withObservationTracking(read) {
                MainActor.assumeIsolated {
                    self.updates += 1
                    Task { @MainActor in self.body() }
                }
            }
        }
    }

    @Test("A change updates the row of its setting alone, before set returns")
    func ownRow() async throws {
        let model = FormModel(.untranslated)
        var sections: [FormSection] = []
        let form = TestView { [catalogue, settings] in sections = model.sections(of: catalogue, in: settings) }
        let views = sections.flatMap(\.rows).map { row in TestView { _ = (row.item, row.message, row.text(english)) } }
        settings.set(.volume, to: 0.75)
        #expect(views.map(\.updates) == [1, 0, 0, 0])
        #expect(sections[0].rows[0].item.input == "0.75")
        onAnotherThread { [settings] in settings.set(.port, to: 80) }
        try await untilOnMainActor { sections[1].rows[0].item.input == "80" }
        #expect(views.map(\.updates) == [1, 0, 1, 0])
        // Nothing is shown twice.
        await Task.yield()
        settings.set(.port, to: 80)
        #expect(views.map(\.updates) == [1, 0, 1, 0])
        #expect(form.updates == 0)
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
        own.set(key("port"), to: Data("80".utf8))
        try await untilOnMainActor { port.item.notes.isEmpty && port.item.input == "80" }
        // The value in force stays.
        managed.set(key("port"), to: Data("80".utf8))
        try await untilOnMainActor { port.item.isLocked }
        #expect(port.item.notes == ["Locked by managed."])
    }

    @Test("Asking for the sections again keeps the rows, and what is typed, unless the service or the settings differ")
    func sections() {
        let model = FormModel(.untranslated)
        let first = model.sections(of: catalogue, in: settings)
        #expect(first.map(\.title) == ["Sound", "Server"])
        #expect(first.map { $0.rows.map(\.id) } == [["volume", "isMuted"], ["port", "name"]])
        first[1].rows[0].type("x", english)
        let again = SettingsCatalogue("Player", catalogue.groups.map { SettingsGroup($0.title, $0.settings) })
        #expect(model.sections(of: again, in: settings)[1].rows[0] === first[1].rows[0])
        let other = model.sections(of: SettingsCatalogue("Player", [SettingsGroup("All", [.port])]), in: settings)
        #expect(other.map(\.title) == ["All"] && other[0].rows[0].text(english) == "x")
        let service = SettingsService(stores: [:], diagnosticSink: .none)
        #expect(model.sections(of: again, in: service)[1].rows[0].text(english) == "8080")
    }

    // MARK: Searching

    private func ids(of sections: [FormSection], matching query: String) -> [String] {
        let found = sections.compactMap { $0.matching(query) { $0.localizedStandardContains($1) } }
        return found.flatMap(\.rows).map(\.id)
    }

    @Test(
        "A search finds rows by their titles, names and help, and groups by their titles",
        arguments: [
            ("", ["volume", "isMuted", "port", "name"]), ("  ", ["volume", "isMuted", "port", "name"]),
            ("VOL", ["volume"]), ("is muted", ["isMuted"]), ("ismuted", ["isMuted"]), ("loud", ["volume"]),
            ("sound", ["volume", "isMuted"]), ("server port", ["port"]), ("pört", ["port"]), ("xyz", []),
        ])
    func search(query: String, names: [String]) {
        let sections = FormModel(.untranslated).sections(of: catalogue, in: settings)
        #expect(ids(of: sections, matching: query) == names)
    }

    @Test("A search finds the translated titles, and what is stored is not translated")
    func translations() {
        let german = ["Volume": "Lautstärke", "Sound": "Ton", "Reset": "Zurücksetzen", "Reset %@": "%@ zurücksetzen"]
        let texts = FormTexts { german[$0] ?? $0 }
        let sections = FormModel(texts).sections(of: catalogue, in: settings)
        #expect(sections[0].title == "Ton")
        let row = sections[0].rows[0]
        #expect(row.item.title == "Lautstärke" && row.resetTexts == ("Zurücksetzen", "Lautstärke zurücksetzen"))
        #expect(ids(of: sections, matching: "lautst") == ["volume"])
    }
}
