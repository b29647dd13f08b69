import Foundation
import SettingsKit
import Testing

// The target's code is isolated to the main actor by default, as in a new project of Xcode. Compiling it is most of the test.
// Values need `nonisolated`, as the guide Getting started says; nothing else does.

nonisolated struct Layout: Codable, Equatable { var columns = 3 }
enum Theme: String, Codable, CaseIterable { case system, dark }

struct Parameters: SettingsRecord {
    var isDetailed = false
    static let empty = Parameters()
}

enum Animals: SettingsNamespace {
    static let id = "animals"
    static func preCommitHook() {}
}

struct Reversing: Transformer {
    func transformValue(_ value: Data) throws -> Data { Data(value.reversed()) }
    func untransformValue(_ data: Data) throws -> Data { Data(data.reversed()) }
}

final class SealedStore: SettingsStore {
    func get(_ key: SettingsService.StorageKey) throws -> Data? { nil }
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws { throw SettingsError(.sealed) }
}

extension SettingsService.Scope { static let vault = SettingsService.Scope.custom(id: "vault") }
extension SettingsError.Code { static let sealed = SettingsError.Code(name: "vault.sealed", advice: "Open the vault.") }
extension SettingsService.Validation<Int> {
    static var even: Self { .init("must be even") { $0.isMultiple(of: 2) } }
}

extension SettingsService.SettingDefinition {
    static let count = Setting<Int>("count", in: .defaults, default: 1)
    static let volume = Setting<Double>("volume", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    static let layout = Setting<Layout>("layout", in: .defaults, default: Layout())
    static let theme = Setting<Theme>("theme", in: .defaults, default: .system)
    static let pin = Setting<Int>("pin", in: .vault, default: 2, validation: .even)
    static let mirrored = Setting<String?>(
        "mirrored", in: .defaults, transformer: JSONTransformer().append(transformer: Reversing()))
    static let lion = Setting<String?>("lion", in: .defaults, namespace: Animals.self)
}

let catalogue = SettingsCatalogue("Player") {
    SettingsGroup("Sound") {
        .count; .volume
    }
}

/// The model of a view.
final class Model {
    let settings: SettingsService
    private(set) var counts: [Int] = []
    private var subscription: SettingsService.Subscription?

    init(_ settings: SettingsService) {
        self.settings = settings
        subscription = settings.observe(.volume) { [weak self] change in
            let count = settings.get(.count)
            Task { @MainActor in self?.counts.append(count) }
        }
    }

    /// Closures that use local variables, the state of the model, objects that are not Sendable, and errors.
    func edit(_ number: SettingsService.Setting<Int>) throws -> String {
        struct Refusal: Error {}
        final class Note { var text = "" }
        var seen: [Int] = []
        let note = Note()
        let old = settings.update(number) { value in
            seen.append(value)
            value += 1
            return value - 1
        }
        settings.transaction { t in
            counts = [t.get(number)]
            note.text += "\(counts[0])"
            t.set(number, to: counts[0] + 1)
        }
        let made = settings.transaction { t -> Note in
            let made = Note()
            made.text = "\(t.get(number))"
            return made
        }
        try settings.save { t in
            if t.get(number) > 100 { throw Refusal() }
            note.text += t.update(number) { "\($0)" }
        }
        do { try settings.update(number) { if $0 == 3 { throw Refusal() } } } catch { note.text += "refused" }
        return "\(seen) \(old ?? -1) \(made?.text ?? "") \(note.text)"
    }
}

struct MainActorTests {
    static let shared = SettingsService(
        defaults: MemoryStore(), storesForCustomScopes: [.vault: SealedStore()], diagnosticSink: .none)
    @Persisted(.count, in: shared) var persisted

    @Test func `A program that is isolated to the main actor by default uses settings as any other`() async throws {
        let settings = Self.shared
        try settings.migrate([
            .version("2026-11") { $0.set(.count, to: 2) },
            .rename("OldTheme", to: .theme) { (old: String) in Theme(rawValue: old) },
        ])
        settings.update(.count) { $0 += 1 }
        settings.transaction { $0.set(.count, to: $0.get(.count) + 1) }
        try settings.save { $0.set(.theme, to: .dark) }
        try await settings.async.save(.layout, to: Layout(columns: 4))
        #expect(persisted == 4)
        #expect(settings.get(.layout).columns == 4)
        #expect(settings.overriding { $0[.count] = 9 }.get(.count) == 9)
        #expect(throws: SettingsError.self) { try settings.save(.pin, to: 4) }
        settings.set(.lion, to: "Leo")
        settings.set(.mirrored, to: "level")
        #expect(settings.get(.lion) == "Leo" && settings.get(.mirrored) == "level")
        #expect(catalogue.settings.count == 2)

        let storage = try SettingsStorage<Parameters>(name: "parameters", in: MemoryStore())
        storage.isDetailed = true
        let seen = await Task.detached { (storage.isDetailed, settings.get(.layout)) }.value
        #expect(seen == (true, Layout(columns: 4)))
    }

    @Test func `Listeners and sequences reach the main actor's state`() async throws {
        let settings = SettingsService(defaults: MemoryStore())
        let model = Model(settings)
        let group = settings.observe(.volume, .count) { changes in _ = changes.contains(.count) }
        let live = settings.value(.volume)
        live.value = 0.75
        #expect(live.value == 0.75)
        for await theme in settings.values(of: .theme) {
            #expect(theme == .system)
            break
        }
        while model.counts.isEmpty { await Task.yield() }
        #expect(model.counts == [1])
        group.cancel()
    }

    @Test func `Closures use local variables, the state of a model, objects that are not Sendable, and errors`() throws
    {
        let model = Model(SettingsService(defaults: MemoryStore(), diagnosticSink: .none))
        #expect(try model.edit(.count) == "[1] 1 3 23refused")
    }
}
