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
    fileprivate static let retries = Setting<Int>("retries", in: .defaults, default: 3, validation: .range(0...10))
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
struct FormTests {
    private let settings = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)

    private func item(_ setting: SettingDefinition, in service: SettingsService? = nil) -> FormItem {
        FormItem(setting, named: setting.key.name, in: service ?? settings)
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
        // Too many steps for a stepper.
        #expect(item(.port).control == .text(.integer))
        #expect(item(.name).control == .text(.plain))
        #expect(item(.nickname).control == .text(.plain))
        #expect(item(.limit).control == .text(.integer))
        #expect(item(.homepage).control == .text(.url))
        #expect(item(.gain).control == .text(.number))
        #expect(item(.armedAt).control == .date)
        #expect(item(.token).control == .secret)
        // No text stands for infinity.
        #expect(item(.infinite).control == .fixed)
        #expect(item(.infinite).fixedText == "inf")
        #expect(item(.bound).control == .fixed)
        #expect(item(.bound).fixedText == "-inf")
        #expect(item(.gain).fixedText == "")
    }

    @Test("The cases of enumerations have titles, which spell their raw values or their names")
    func caseTitles() {
        func titles(_ setting: SettingDefinition) -> [String]? {
            guard case .choice(let choices) = item(setting).control else { return nil }
            #expect(choices.allSatisfy { !$0.isValue })
            return choices.map(\.title)
        }
        #expect(titles(.quality) == ["HD", "High contrast", "English", "Open URLs"])
        #expect(titles(.level) == ["Off", "Very high", "Normal"])
        #expect(titles(.named) == ["Dark mode", "Light"])
    }

    @Test("Allowed values that are no cases are shown as they are")
    func valueTitles() {
        func values(_ setting: SettingDefinition) -> [String]? {
            guard case .choice(let choices) = item(setting).control else { return nil }
            #expect(choices.allSatisfy { $0.isValue == ($0.input != "") })
            return choices.map(\.title)
        }
        #expect(values(.rate) == ["8", "16"])
        #expect(values(.speed) == ["0.5", "1", "1.5", "2"])
        #expect(values(.balance) == ["None", "-1", "0", "1"])
        #expect(values(.address) == ["10.0.0.1", "en-US", "my_value", "httpURL"])
        #expect(values(.code) == ["en-US", "de-CH"])
    }

    @Test("Input is stored as the value that it stands for, and shown again")
    func inputs() {
        func store(_ input: String, _ setting: SettingDefinition) {
            #expect(item(setting).store(input, in: settings) == nil)
            #expect(item(setting).input == input)
        }
        store("true", .isMuted)
        store("dark", .theme)
        store("dark", .accent)
        store("", .accent)
        store("0.25", .volume)
        store("5", .limit)
        store("", .limit)
        store("https://example.org", .homepage)
        for text in ["Ann", "null", "\"null\"", ""] {
            store(text, .name)
            store(text, .nickname)
        }
        #expect(settings.get(.theme) == .dark)
        #expect(settings.get(.nickname) == nil)
        _ = item(.nickname).store("null", in: settings)
        #expect(settings.get(.nickname) == "null")
        let date = Date(timeIntervalSinceReferenceDate: 1_000.5)
        store(FormControl.text(of: date), .armedAt)
        #expect(FormControl.date(item(.armedAt).input) == date)
        store(FormControl.text(of: 0.75), .volume)
        #expect(settings.get(.volume) == 0.75)
    }

    @Test("Input that the setting does not accept is refused with what is expected, and changes nothing")
    func wrongInput() {
        #expect(item(.port).store("99999", in: settings) == "Enter an integer from 1 to 65535.")
        #expect(item(.port).store("x", in: settings) == "Enter an integer from 1 to 65535.")
        #expect(settings.get(.port) == 8080)
        #expect(item(.limit).store("x", in: settings) != nil)
    }

    @Test("A locked setting shows its source, and cannot be changed or reset")
    func locked() throws {
        let managed = MemoryStore()
        managed.set(key("port"), to: Data("80".utf8))
        let store = try LayeredStore([.locked(managed, name: "managed"), .writable(MemoryStore())])
        let service = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
        let item = item(.port, in: service)
        #expect(item.isLocked && !item.canReset)
        #expect(item.input == "80")
        #expect(item.footer == ["The port to listen on.", "Locked by managed."])
        #expect(item.store("81", in: service) == nil)
        item.reset(in: service)
        #expect(service.get(.port) == 80)
    }

    @Test("A setting that is locked by a layer that cannot be read says so, and cannot be changed")
    func lockedByUnreadableLayer() throws {
        struct Broken: SettingsStore {
            func get(_ key: SettingsService.StorageKey) throws -> Data? { throw SettingsError(.readFailed) }
            func set(_ key: SettingsService.StorageKey, to data: Data?) {}
        }
        let store = try LayeredStore([.locked(Broken(), name: "managed"), .writable(MemoryStore())])
        let item = item(.port, in: SettingsService(stores: [.defaults: store], diagnosticSink: .none))
        #expect(item.isLocked && !item.canReset)
        #expect(item.footer == ["The port to listen on.", "Locked by managed, which cannot be read."])
    }

    @Test("A stored value that the setting does not accept is explained")
    func problem() {
        let store = MemoryStore()
        store.set(key("port"), to: Data("0".utf8))
        let item = item(.port, in: SettingsService(stores: [.defaults: store], diagnosticSink: .none))
        #expect(item.input == "8080" && item.canReset)
        #expect(item.footer == ["The port to listen on.", "The stored value is not an integer from 1 to 65535."])
    }

    @Test("Only a stored value can be reset")
    func reset() {
        #expect(!item(.port).canReset)
        item(.port).reset(in: settings)
        settings.set(.port, to: 81)
        #expect(item(.port).canReset)
        item(.port).reset(in: settings)
        #expect(!settings.isSet(.port))
    }

    @Test("A secret is not shown, is replaced by input, and stays without")
    func secret() {
        settings.set(.token, to: "hidden")
        #expect(item(.token).input == "")
        #expect(item(.token).store("", in: settings) == nil)
        #expect(settings.get(.token) == "hidden")
        #expect(item(.token).store("new", in: settings) == nil)
        #expect(settings.get(.token) == "new")
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
