import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKit

private enum Theme: String, Codable, CaseIterable, Sendable { case system, dark }
private enum Quality: String, Codable, CaseIterable, Sendable {
    case hd = "HD"
    case highContrast = "high-contrast"
    case openURLs
}
private enum Level: Int, Codable, CaseIterable, Sendable { case off = -1, normal, veryHigh }

extension SettingsService.SettingDefinition {
    fileprivate static let bound = Setting<Double?>(
        "bound", in: .defaults, default: -.infinity, transformer: PropertyListTransformer())
    fileprivate static let isMuted = Setting<Bool>("isMuted", in: .defaults, default: false)
    fileprivate static let accent = Setting<Theme?>("accent", in: .defaults)
    fileprivate static let isLoud = Setting<Bool?>("isLoud", in: .defaults)
    fileprivate static let quality = Setting<Quality>("quality", in: .defaults, default: .hd)
    fileprivate static let level = Setting<Level>(
        "level", in: .defaults, default: .normal, validation: .oneOf([.off, .veryHigh, .normal]))
    fileprivate static let balance = Setting<Int?>("balance", in: .defaults, validation: .oneOf([-1, 0, 1]))
    fileprivate static let address = Setting<String>(
        "address", in: .defaults, default: "10.0.0.1", validation: .oneOf(["10.0.0.1", "en-US"]))
    fileprivate static let volume = Setting<Double>("volume", in: .defaults, default: 0.5, validation: .range(0...1))
    fileprivate static let retries = Setting<Int>("retries", in: .defaults, default: 3, validation: .range(0..<101))
    fileprivate static let page = Setting<Int>("page", in: .defaults, default: 3, validation: .range(0...101))
    fileprivate static let fixedGain = Setting<Double>(
        "fixedGain", in: .defaults, default: 1, validation: .range(1...1))
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
}

@Suite("The contents of a settings form")
@MainActor struct FormTests {
    private let settings = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)

    private func row(_ setting: SettingDefinition, in service: SettingsService? = nil) -> FormRow {
        FormRow(setting, named: setting.key.name, in: service ?? settings, .untranslated)
    }

    @Test("Each kind of value and validation has its control")
    func controls() {
        let expected: [(SettingDefinition, FormControl)] = [
            (.isMuted, .toggle), (.volume, .slider(0...1)), (.retries, .stepper(0...100)), (.armedAt, .date),
            (.token, .secret), (.name, .text), (.nickname, .text), (.homepage, .text),
            // Too many steps for a stepper, and a slider has two ends.
            (.page, .number), (.limit, .number), (.gain, .number), (.fixedGain, .number),
            // No text stands for infinity.
            (.bound, .fixed),
        ]
        for (setting, control) in expected { #expect(row(setting).item.control == control, "\(setting.key.name)") }
        #expect(row(.bound).item.fixedText == "-inf")
    }

    @Test("Cases of enumerations have titles from their raw values or names; other values are shown as they are")
    func choices() {
        func expect(_ pairs: [(String, String)], areValues: Bool = false, of setting: SettingDefinition) {
            let choices = pairs.map {
                FormControl.Choice(input: $0.0, title: $0.1, isValue: areValues && !$0.0.isEmpty)
            }
            #expect(row(setting).item.control == .choice(choices))
        }
        expect([("", "None"), ("system", "System"), ("dark", "Dark")], of: .accent)
        expect([("", "None"), ("true", "True"), ("false", "False")], of: .isLoud)
        expect([("HD", "HD"), ("high-contrast", "High contrast"), ("openURLs", "Open URLs")], of: .quality)
        expect([("-1", "Off"), ("1", "Very high"), ("0", "Normal")], of: .level)
        expect([("", "None"), ("-1", "-1"), ("0", "0"), ("1", "1")], areValues: true, of: .balance)
        expect([("10.0.0.1", "10.0.0.1"), ("en-US", "en-US")], areValues: true, of: .address)
    }

    @Test("A control stores the value that a person chooses, and shows it again")
    func choosing() {
        for (input, theme) in [("dark", Theme.dark), ("", nil)] {
            row(.accent).choice = input
            #expect(settings.get(.accent) == theme && row(.accent).choice == input)
        }
        row(.isMuted).isOn = true
        #expect(settings.get(.isMuted) && row(.isMuted).isOn)
        row(.retries).integer = 5
        #expect(settings.get(.retries) == 5 && row(.retries).integer == 5)
        row(.volume).real = 0.75
        #expect(settings.get(.volume) == 0.75 && row(.volume).real == 0.75)
        let date = Date(timeIntervalSinceReferenceDate: 1_000.5)
        row(.armedAt).date = date
        #expect(settings.get(.armedAt) == date && row(.armedAt).date == date)
        row(.gain).number = Decimal(string: "0.1")
        #expect(settings.get(.gain) == 0.1 && row(.gain).number == Decimal(string: "0.1"))
        for limit in [Int.max, nil] {
            row(.limit).number = limit.map { Decimal($0) }
            #expect(settings.get(.limit) == limit && row(.limit).number == limit.map { Decimal($0) })
        }
    }

    @Test("A field of a text stores the text when it is submitted", arguments: ["Ann", " Ann ", "null", ""])
    func text(text: String) {
        for setting in [.name, .nickname, .token] as [SettingDefinition] {
            let row = row(setting)
            row.text = text
            #expect(!settings.isSet(setting))
            row.submit()
            #expect(row.message == nil)
        }
        #expect(settings.get(.name) == text && settings.get(.nickname) == (["", "null"].contains(text) ? nil : text))
    }

    @Test("A refused input is explained, and a refused text stays in the field until another one is stored")
    func refused() {
        let port = row(.port)
        port.number = 99_999
        #expect(port.message == "Enter an integer from 1 to 65535." && port.number == 8080)
        port.number = 1
        #expect(port.message == nil && settings.get(.port) == 1)
        let row = row(.homepage)
        row.text = "http://["
        row.submit()
        #expect(row.message?.hasPrefix("Enter ") == true)
        // Another program changes the setting meanwhile.
        settings.set(.homepage, to: URL(string: "https://example.com"))
        row.refresh()
        #expect(row.text == "http://[" && row.item.input == "https://example.com")
        row.text = "https://example.org"
        row.submit()
        #expect(row.message == nil && settings.get(.homepage) == URL(string: "https://example.org"))
        row.text = "http://["
        row.reset()
        row.refresh()
        #expect(row.text == "" && !settings.isSet(.homepage))
    }

    @Test("A control that is left unchanged stores nothing, and a secret stays without a text")
    func unchanged() {
        settings.set(.token, to: "hidden")
        for setting in [.port, .name, .limit, .token] as [SettingDefinition] {
            let row = row(setting)
            // A field reports its text although it was not edited.
            for text in [row.item.input, "1", row.item.input] { row.text = text }
            row.submit()
            row.number = row.number
        }
        #expect(settings.get(.token) == "hidden" && settings.keys(in: .defaults) == ["token"])
    }

    @Test("A locked setting shows its source, and cannot be changed or reset")
    func locked() throws {
        let store = try LayeredStore([
            .locked(MemoryStore(["port": Data("80".utf8)]), name: "managed"), .writable(MemoryStore()),
        ])
        let service = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
        let row = row(.port, in: service)
        #expect(row.item.isLocked && !row.item.canReset && row.help == "The port to listen on.")
        #expect(row.item.notes == ["Locked by managed."])
        row.number = 81
        row.reset()
        #expect(row.message == nil && service.get(.port) == 80)
    }

    @Test("A stored value that the setting does not accept is explained, and can be reset")
    func problem() {
        let store = MemoryStore(["port": Data("0".utf8)])
        let service = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
        let row = row(.port, in: service)
        #expect(row.number == 8080 && row.item.notes == ["The stored value is not an integer from 1 to 65535."])
        row.reset()
        #expect(!service.isSet(.port) && !self.row(.port, in: service).item.canReset)
    }

    @Test("Names become titles")
    func titles() {
        let titles = [
            "volume": "Volume", "launchCount": "Launch count", "launch-count": "Launch count",
            "audio.max_volume": "Max volume", "animals:cats:lion": "Lion", "-": "-",
            "openURLsInTab": "Open URLs in tab", "URLScheme": "URL scheme", "MAX_VOLUME": "MAX VOLUME",
        ]
        for (name, title) in titles { #expect(FormTitle.title(ofName: name) == title) }
    }
}
