import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKit

private enum Theme: String, Codable, CaseIterable, Sendable { case system, dark }
private enum Quality: String, Codable, CaseIterable, Sendable {
    case hd = "HD"
    case highContrast = "high-contrast"
    case english = "en-US"
    case openURLs
}
private enum Level: Int, Codable, CaseIterable, Sendable { case off = -1, normal, veryHigh }
private enum Named: String, Codable, CaseIterable, Sendable, CustomStringConvertible {
    case darkMode, light
    var description: String { "the same for both" }
}
private struct Code: RawRepresentable, Codable, CaseIterable, Equatable, Sendable {
    var rawValue: String
    static let allCases = [Code(rawValue: "en-US"), Code(rawValue: "de-CH")]
}

extension SettingsService.SettingDefinition {
    fileprivate static let bound = Setting<Double?>(
        "bound", in: .defaults, default: -.infinity, transformer: PropertyListTransformer())
    fileprivate static let isMuted = Setting<Bool>("isMuted", in: .defaults, default: false)
    fileprivate static let theme = Setting<Theme>("theme", in: .defaults, default: .system)
    fileprivate static let accent = Setting<Theme?>("accent", in: .defaults)
    fileprivate static let isLoud = Setting<Bool?>("isLoud", in: .defaults)
    fileprivate static let rate = Setting<Int>("rate", in: .defaults, default: 8, validation: .oneOf([8, 16]))
    fileprivate static let quality = Setting<Quality>("quality", in: .defaults, default: .hd)
    fileprivate static let level = Setting<Level>(
        "level", in: .defaults, default: .normal, validation: .oneOf([.off, .veryHigh, .normal]))
    fileprivate static let named = Setting<Named>("named", in: .defaults, default: .light)
    fileprivate static let code = Setting<Code>("code", in: .defaults, default: Code.allCases[0])
    fileprivate static let speed = Setting<Double>(
        "speed", in: .defaults, default: 1, validation: .oneOf([0.5, 1, 1.5, 2]))
    fileprivate static let balance = Setting<Int?>("balance", in: .defaults, validation: .oneOf([-1, 0, 1]))
    fileprivate static let address = Setting<String>(
        "address", in: .defaults, default: "10.0.0.1", validation: .oneOf(["10.0.0.1", "en-US", "my_value", "httpURL"]))
    fileprivate static let volume = Setting<Double>("volume", in: .defaults, default: 0.5, validation: .range(0...1))
    fileprivate static let retries = Setting<Int>("retries", in: .defaults, default: 3, validation: .range(0..<11))
    fileprivate static let percent = Setting<Int>("percent", in: .defaults, default: 3, validation: .range(0...100))
    fileprivate static let fixedCount = Setting<Int>("fixedCount", in: .defaults, default: 3, validation: .range(3...3))
    fileprivate static let fixedGain = Setting<Double>(
        "fixedGain", in: .defaults, default: 1, validation: .range(1...1))
    fileprivate static let page = Setting<Int>("page", in: .defaults, default: 3, validation: .range(0...101))
    fileprivate static let port = Setting<Int>(
        "port", in: .defaults, default: 8080, validation: .range(1...65_535), help: "The port to listen on.")
    fileprivate static let name = Setting<String>("name", in: .defaults, default: "")
    fileprivate static let nickname = Setting<String?>("nickname", in: .defaults)
    fileprivate static let limit = Setting<Int?>("limit", in: .defaults)
    fileprivate static let homepage = Setting<URL?>("homepage", in: .defaults)
    fileprivate static let gain = Setting<Double>("gain", in: .defaults, default: 1)
    fileprivate static let armedAt = Setting<Date>(
        "armedAt", in: .defaults, default: Date(timeIntervalSinceReferenceDate: 0))
    fileprivate static let token = Setting<String>("token", in: .defaults, default: "", isSecret: true)
    fileprivate static let infinite = Setting<Double>(
        "infinite", in: .defaults, default: .infinity, transformer: PropertyListTransformer())
}

@Suite("The contents of a settings form")
@MainActor struct FormTests {
    private let settings = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)

    private func row(_ setting: SettingDefinition, in service: SettingsService? = nil) -> FormRow {
        FormRow(setting, named: setting.key.name, in: service ?? settings, .untranslated)
    }

    private func item(_ setting: SettingDefinition, in service: SettingsService? = nil) -> FormItem {
        row(setting, in: service).item
    }

    @Test("Each kind of value and validation has its control")
    func controls() {
        func choices(_ pairs: (String, String)...) -> FormControl {
            .choice(pairs.map { FormControl.Choice(input: $0.0, title: $0.1) })
        }
        #expect(item(.isMuted).control == .toggle)
        #expect(item(.theme).control == choices(("system", "System"), ("dark", "Dark")))
        #expect(item(.accent).control == choices(("", "None"), ("system", "System"), ("dark", "Dark")))
        #expect(item(.isLoud).control == choices(("", "None"), ("true", "True"), ("false", "False")))
        #expect(item(.volume).control == .slider(0...1))
        #expect(item(.retries).control == .stepper(0...10))
        #expect(item(.percent).control == .stepper(0...100))
        #expect(item(.fixedCount).control == .stepper(3...3))
        // Too many steps for a stepper, and a slider has two ends.
        for setting in [.page, .port, .limit, .gain, .fixedGain] as [SettingDefinition] {
            #expect(item(setting).control == .number)
        }
        for setting in [.name, .nickname, .homepage] as [SettingDefinition] { #expect(item(setting).control == .text) }
        #expect(item(.armedAt).control == .date)
        #expect(item(.token).control == .secret)
        // No text stands for infinity.
        #expect(item(.infinite).control == .fixed)
        #expect(item(.infinite).fixedText == "inf")
        #expect(item(.bound).control == .fixed)
        #expect(item(.bound).fixedText == "-inf")
        #expect(item(.gain).fixedText == "")
    }

    @Test("Cases of enumerations have titles from their raw values or names; other values are shown as they are")
    func choiceTitles() {
        func expect(_ titles: [String], areValues: Bool, of setting: SettingDefinition) {
            guard case .choice(let choices) = item(setting).control else {
                Issue.record("\(setting.key.name) is no choice")
                return
            }
            #expect(choices.map(\.title) == titles)
            #expect(choices.allSatisfy { $0.isValue == (areValues && $0.input != "") })
        }
        expect(["HD", "High contrast", "English", "Open URLs"], areValues: false, of: .quality)
        expect(["Off", "Very high", "Normal"], areValues: false, of: .level)
        expect(["Dark mode", "Light"], areValues: false, of: .named)
        expect(["8", "16"], areValues: true, of: .rate)
        expect(["0.5", "1", "1.5", "2"], areValues: true, of: .speed)
        expect(["None", "-1", "0", "1"], areValues: true, of: .balance)
        expect(["10.0.0.1", "en-US", "my_value", "httpURL"], areValues: true, of: .address)
        expect(["en-US", "de-CH"], areValues: true, of: .code)
    }

    @Test("A control stores the value that a person chooses, and shows it again")
    func choosing() {
        func choose(_ input: String, _ setting: SettingDefinition) {
            row(setting).choice = input
            #expect(row(setting).choice == input)
        }
        choose("dark", .theme)
        #expect(settings.get(.theme) == .dark)
        choose("dark", .accent)
        choose("", .accent)
        #expect(settings.get(.accent) == nil)
        row(.isMuted).isOn = true
        #expect(settings.get(.isMuted) && row(.isMuted).isOn)
        row(.retries).integer = 5
        #expect(settings.get(.retries) == 5 && row(.retries).integer == 5)
        row(.volume).real = 0.75
        #expect(settings.get(.volume) == 0.75 && row(.volume).real == 0.75)
        let date = Date(timeIntervalSinceReferenceDate: 1_000.5)
        row(.armedAt).date = date
        #expect(settings.get(.armedAt) == date && row(.armedAt).date == date)
    }

    @Test("A field of a number stores each number exactly, and none for no text")
    func numbers() {
        row(.gain).number = Decimal(string: "0.1")
        #expect(settings.get(.gain) == 0.1 && row(.gain).number == Decimal(string: "0.1"))
        row(.limit).number = Decimal(Int.max)
        #expect(settings.get(.limit) == .max && row(.limit).number == Decimal(Int.max))
        row(.limit).number = nil
        #expect(settings.get(.limit) == nil && row(.limit).number == nil)
        let port = row(.port)
        port.number = 99_999
        #expect(port.message == "Enter an integer from 1 to 65535." && port.number == 8080)
        port.number = 1
        #expect(port.message == nil && settings.get(.port) == 1)
    }

    @Test(
        "A field of a text stores the text when it is submitted", arguments: ["Ann", " Ann ", "null", "\"null\"", ""])
    func text(text: String) {
        for setting in [.name, .nickname, .token] as [SettingDefinition] {
            let row = row(setting)
            row.text = text
            #expect(!settings.isSet(setting))
            row.submit()
            #expect(row.message == nil)
        }
        #expect(settings.get(.name) == text && settings.get(.nickname) == (text.isEmpty ? nil : text))
        #expect(settings.get(.token) == text && item(.token).input == "")
    }

    @Test("A refused text stays in the field with the reason, until another one is stored")
    func refused() {
        let row = row(.homepage)
        row.text = "http://["
        row.submit()
        let reason = row.message
        #expect(reason?.hasPrefix("Enter ") == true)
        // As when the field loses the focus after the text was submitted.
        row.submit()
        #expect(row.text == "http://[" && row.message == reason)
        // Another program changes the setting meanwhile.
        settings.set(.homepage, to: URL(string: "https://example.com"))
        row.refresh()
        #expect(row.text == "http://[" && row.item.input == "https://example.com")
        row.text = "https://example.org"
        #expect(row.message == nil)
        row.submit()
        row.refresh()
        #expect(row.text == "https://example.org" && settings.get(.homepage) == URL(string: "https://example.org"))
        row.text = "http://["
        row.reset()
        row.refresh()
        #expect(row.text == "" && !settings.isSet(.homepage))
    }

    @Test("A control that is left unchanged stores nothing, and a secret stays without a text")
    func unchanged() {
        settings.set(.token, to: "hidden")
        for setting in [.port, .name, .limit, .token, .gain] as [SettingDefinition] {
            let row = row(setting)
            // A field reports its text although it was not edited.
            row.text = row.item.input
            row.submit()
            row.text = "1"
            row.text = row.item.input
            row.submit()
            row.number = row.number
        }
        #expect(settings.get(.token) == "hidden" && settings.keys(in: .defaults) == ["token"])
    }

    @Test("A locked setting shows its source, and cannot be changed or reset", arguments: [true, false])
    func locked(isReadable: Bool) throws {
        struct Broken: SettingsStore {
            func get(_ key: SettingsService.StorageKey) throws -> Data? { throw SettingsError(.readFailed) }
            func set(_ key: SettingsService.StorageKey, to data: Data?) {}
        }
        let managed = MemoryStore(["port": Data("80".utf8)])
        let store = try LayeredStore([
            .locked(isReadable ? managed : Broken(), name: "managed"), .writable(MemoryStore()),
        ])
        let service = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
        let row = row(.port, in: service)
        #expect(row.item.isLocked && !row.item.canReset && row.help == "The port to listen on.")
        #expect(row.item.notes == ["Locked by managed\(isReadable ? "" : ", which cannot be read")."])
        row.number = 81
        row.reset()
        #expect(row.message == nil && service.get(.port) == (isReadable ? 80 : 8080))
    }

    @Test("A stored value that the setting does not accept is explained, and can be reset")
    func problem() {
        let store = MemoryStore(["port": Data("0".utf8)])
        let service = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
        let row = row(.port, in: service)
        #expect(row.number == 8080 && row.item.canReset)
        #expect(row.item.notes == ["The stored value is not an integer from 1 to 65535."])
        row.number = 99_999
        row.reset()
        #expect(row.message == nil && !service.isSet(.port) && !item(.port, in: service).canReset)
        #expect(row.resetTexts == ("Reset", "Reset Port"))
    }

    @Test(
        "Names become titles",
        arguments: [
            ("volume", "Volume"), ("launchCount", "Launch count"), ("launch-count", "Launch count"),
            ("audio.max_volume", "Max volume"), ("animals:cats:lion", "Lion"), ("apiURL", "Api URL"), ("-", "-"),
            ("openURLsInTab", "Open URLs in tab"), ("URLScheme", "URL scheme"), ("showHDRBadge", "Show HDR badge"),
            ("idsOfURLs", "Ids of URLs"), ("planB", "Plan B"), ("MAX_VOLUME", "MAX VOLUME"),
            ("mp3Player", "Mp3 player"),
        ])
    func titles(name: String, title: String) {
        #expect(FormTitle.title(ofName: name) == title)
    }
}
