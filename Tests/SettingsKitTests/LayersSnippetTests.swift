import Foundation
import SettingsKit
import Testing

// The Swift snippets of the articles about layers and validation, as compiled code; see DocumentationSnippetTests.swift.

extension SettingsService.SettingDefinition {
    fileprivate static let volume = Setting<Double>(
        "volume", in: .defaults, default: 0.5, validation: .range(0...1))
    fileprivate static let isMuted = Setting<Bool>(
        "muted", in: .defaults, default: false, help: "Play nothing.")
    fileprivate static let user = Setting<String>(
        "user", in: .defaults, default: "www", validation: .notEmpty)
}

// MARK: Layers

private func layeredService(
    managed: some SettingsStore, user: URL, systemWide: URL
) throws -> SettingsService {
    SettingsService(
        defaults: try LayeredStore([
            .locked(managed, name: "managed"),
            .arguments(),
            .environment(prefix: "PLAYER_"),
            .writable(try PropertyListStore(url: user)),
            .fallback(
                try PropertyListStore(url: systemWide, access: .readOnly),
                name: "system"),
        ]))
}

private func describe(_ settings: SettingsService) {
    print(settings.text(of: .volume), "from", settings.source(of: .volume))
    if let lock = settings.lock(of: .volume) {
        print("The volume cannot be changed here: \(lock.layer) locks it.")
        if let problem = lock.problem { print(problem) }
    }
    if let problem = settings.problem(of: .volume) { print(problem) }
}

private func raiseVolume(in settings: SettingsService) throws {
    do {
        try settings.save(.volume, to: 1)
    } catch let error as SettingsError where error.code == .locked {
        print("The volume is locked by the layer \(error.layer ?? "").")
    }
}

private func loudPreview(of settings: SettingsService) -> SettingsService {
    settings.overriding { $0[.volume] = 1 }
}

@Test private func theLayersOfTheGuideLockUncoverAndFallBack() async throws {
    try await withTemporaryFolder { folder in
        let (user, systemWide) = (
            folder.appendingPathComponent("User.plist"), folder.appendingPathComponent("All.plist")
        )
        do {
            let forAll = SettingsService(defaults: try PropertyListStore(url: systemWide), diagnosticSink: .none)
            try forAll.save(.volume, to: 0.3)
            try forAll.save(.user, to: "all")
            try forAll.synchronize()
        }
        let managed = MemoryStore()
        let settings = try layeredService(managed: managed, user: user, systemWide: systemWide)
        #expect(settings[.volume] == 0.3 && settings.source(of: .volume) == .layer("system"))
        try raiseVolume(in: settings)
        #expect(settings[.volume] == 1 && settings.source(of: .volume) == .store)
        try SettingsService(defaults: managed).save(.volume, to: 0.1)
        #expect(settings.isLocked(.volume) && !settings.isLocked(.isMuted))
        describe(settings)
        try raiseVolume(in: settings)
        #expect(settings[.volume] == 0.1 && settings.source(of: .volume) == .layer("managed"))
        let preview = loudPreview(of: settings)
        #expect(preview[.volume] == 1 && settings[.volume] == 0.1 && preview[.user] == "all")
    }
}

private func usualService() throws -> SettingsService {
    let usual = SettingsService(
        defaults: try LayeredStore.standard(environmentPrefix: "PLAYER_"))
    return usual
}

// MARK: Validation

extension SettingsService.SettingDefinition {
    fileprivate static let port = Setting<Int>(
        "port", in: .defaults, default: 8080,
        validation: .range(1...65_535), help: "The port to listen on.")
    fileprivate static let host = Setting<String>(
        "host", in: .defaults, default: "localhost", validation: .notEmpty)
    fileprivate static let level = Setting<String>(
        "level", in: .defaults, default: "info",
        validation: .oneOf(["debug", "info", "error"]))
    fileprivate static let path = Setting<String?>(
        "path", in: .defaults,
        validation: .unlessNil(
            .init("must begin with /") { $0.hasPrefix("/") }))
    fileprivate static let title = Setting<String>(
        "title", in: .defaults, default: "Untitled",
        validation: .length(1...64)
    ) { $0.trimmingCharacters(in: .whitespaces) }
}

private func reportProblems(in settings: SettingsService) {
    guard let problem = settings.problem(of: .port) else { return }
    print("The port stays \(settings[.port]).")
    print("Expected: \(problem.expected ?? "another value").")
}

private func setPort(_ text: String, in settings: SettingsService) -> String? {
    do {
        try settings.set(.port, fromText: text)
        return nil
    } catch {
        return "\(error)"
    }
}

private func reportPort(
    of settings: SettingsService
) -> SettingsService.Subscription {
    settings.observe(.port) { change in
        print("The port is \(change.newValue).")
        if !change.isSet { print("This is the usual one.") }
    }
}

@Test private func theSettingsOfTheGuideToValidationRefuseWhatItSays() throws {
    let store = MemoryStore()
    let settings = SettingsService(defaults: store, diagnosticSink: .none)
    #expect(setPort("9000", in: settings) == nil && settings[.port] == 9000)
    #expect(setPort("0", in: settings)?.contains("an integer from 1 to 65535") == true && settings[.port] == 9000)
    let subscription = reportPort(of: settings)
    settings.reset(.port)
    subscription.cancel()
    settings.set(.title, to: "  ")
    #expect(settings[.title] == "Untitled")
    settings.set(.title, to: " Songs ")
    #expect(settings[.title] == "Songs")
    for refused in [
        { try settings.save(.host, to: "") }, { try settings.save(.level, to: "loud") },
        { try settings.save(.path, to: "here") },
    ] {
        #expect(throws: SettingsError.self) { try refused() }
    }
    try settings.save(.path, to: "/here")
    store.set(SettingsService.Setting<Int>.port.key, to: Data("0".utf8))
    reportProblems(in: settings)
    #expect(settings.problem(of: .port)?.code == .invalidValue)
}

// MARK: Defaults and transformers

extension SettingsService.SettingDefinition {
    fileprivate static let installation = Setting<UUID>(
        "installation", in: .defaults, default: .once { UUID() })
    fileprivate static let firstUse = Setting<Date>(
        "firstUse", in: .defaults, default: .computed { Date() })
}

private struct Color: Hashable, Sendable {
    var red, green, blue: UInt8
}

private struct ColorTransformer: Transformer {
    struct WrongLength: Error {}

    func transformValue(_ value: Color) throws -> Data {
        Data([value.red, value.green, value.blue])
    }
    func untransformValue(_ output: Data) throws -> Color {
        let bytes = [UInt8](output)
        guard bytes.count == 3 else { throw WrongLength() }
        return Color(red: bytes[0], green: bytes[1], blue: bytes[2])
    }
}

extension SettingsService.SettingDefinition {
    fileprivate static let accent = Setting<Color>(
        "accent", in: .defaults,
        default: Color(red: 0, green: 122, blue: 255),
        transformer: ColorTransformer())
}

@Test private func aDefaultOfOneComputationIsStoredAndAnotherIsNot() throws {
    let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
    #expect(settings[.installation] == settings[.installation] && settings[.firstUse] <= Date())
    #expect(settings.keys(in: .defaults) == ["installation"])
    try settings.set(.accent, fromText: "AQID")
    #expect(settings[.accent] == Color(red: 1, green: 2, blue: 3) && settings.text(of: .accent) == "AQID")
}
