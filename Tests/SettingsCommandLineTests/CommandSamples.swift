import Foundation
import SettingsCommandLine
import SettingsKit
import SettingsTestSupport

enum Skin: String, Codable, CaseIterable { case light, dark }

extension SettingsService.SettingDefinition {
    static let volume = Setting<Double>("volume", in: .defaults, default: 0.5, validation: .range(0...1))
    static let port = Setting<Int>(
        "port", in: .defaults, default: 8080, validation: .range(1...65_535), help: "The port to listen on.")
    static let skin = Setting<Skin>("skin", in: .defaults, default: .light)
    static let motto = Setting<String?>("motto", in: .defaults)
    static let hosts = Setting<[String]>("server.hosts", in: .defaults, default: [])
    static let token = Setting<String>("token", in: .defaults, default: "tok-default-5ecret", isSecret: true)
}

/// A command over settings in memory.
struct Desk {
    static let secret = "5ecret-of-this-test"

    let store: any SettingsStore
    let settings: SettingsService
    let command: SettingsCommand
    let diagnosed = Recorder<SettingsError>()

    /// - Parameter added: Settings of one test, after the others.
    init(_ store: any SettingsStore = MemoryStore(), adding added: [SettingsService.SettingDefinition] = []) {
        self.store = store
        let diagnosed = diagnosed
        settings = SettingsService(
            stores: [.defaults: store], diagnosticSink: SettingsService.DiagnosticSink { diagnosed.append($0) })
        let catalogue = SettingsCatalogue("Desk") {
            SettingsGroup("Looks") {
                .volume; .skin; .motto
            }
            SettingsGroup("Server", [.port, .hosts, .token] + added)
        }
        command = SettingsCommand(catalogue, settings: settings, name: "desk")
    }

    /// A desk whose environment locks settings.
    init(environment: [String: String], adding added: [SettingsService.SettingDefinition] = []) throws {
        let layers: [LayeredStore.Layer] = [.environment(prefix: "DESK_", environment), .writable(MemoryStore())]
        self.init(try LayeredStore(layers), adding: added)
    }

    /// What a command has printed, and its exit code.
    struct Result: Equatable {
        var code: Int32
        var output = ""
        var errors = ""

        init(_ code: Int32, _ output: String = "", errors: String = "") {
            (self.code, self.output, self.errors) = (code, output, errors)
        }

        /// Collects what `run` prints.
        init(of run: (_ output: @escaping (String) -> Void, _ errors: @escaping (String) -> Void) -> Int32) {
            let texts = Box((output: "", errors: ""))
            code = run {
                texts.value.output += $0
            } _: {
                texts.value.errors += $0
            }
            (output, errors) = texts.value
        }

        var json: JSONTree? { JSONTree(json: Data(output.utf8)) }
    }

    func run(_ arguments: String..., input: String = "") -> Result { run(arguments, input: input) }

    func run(_ arguments: [String], input: String = "") -> Result {
        Result { output, errors in
            command.run(arguments, input: { Data(input.utf8) }, output: output, errors: errors)
        }
    }

    /// Writes bytes below the service.
    func write(_ name: String, _ text: String) throws {
        try store.set(key(name), to: Data(text.utf8))
    }
}

extension JSONTree {
    /// The members of an object; nil for another value.
    var object: [String: JSONTree]? { if case .object(let members) = self { members } else { nil } }
    /// The elements of an array; nil for another value.
    var array: [JSONTree]? { if case .array(let elements) = self { elements } else { nil } }
    /// A text; nil for another value.
    var string: String? { if case .string(let text) = self { text } else { nil } }
}

/// A store whose writes fail.
struct FullStore: SettingsStore {
    struct Full: Error {}

    func get(_ key: SettingsService.StorageKey) throws -> Data? { nil }
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws { throw Full() }
}
