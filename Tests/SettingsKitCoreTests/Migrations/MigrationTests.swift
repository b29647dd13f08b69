import Foundation
import SettingsKitCore
import Testing

private enum Hooked: SettingsNamespace {
    static let id = "hooked"
    static let calls = Recorder<String>()
    static func preCommitHook() { calls.append("pre") }
    static func postCommitHook() { calls.append("post") }
}

@Suite("Migrations")
struct MigrationTests {
    private struct Secret: Error { let value = "4711" }

    private static let number = Setting<Int>("number", in: .defaults, default: 0)
    private static let text = Setting<String>("text", in: .defaults, default: "")

    /// The values of a store, without the ledger.
    private func contents(_ store: MemoryStore) throws -> [String: String] {
        let names = store.keys().filter { !$0.hasPrefix(SettingsService.migrationLedger) }
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try store.text($0) ?? "") })
    }

    @Test(
        "A renamed value moves unless the new name is taken or the conversion returns nil",
        arguments: [
            ([:], "old", [:]), (["old": "\"none\""], "old", ["old": "\"none\""]),
            (["old": "\"7\""], "old", ["number": "7"]),
            (["old": "\"7\"", "number": "8"], "old", ["old": "\"7\"", "number": "8"]),
            (["old": "\"7\"", "number": "7"], "old", ["number": "7"]), (["number": "\"7\""], "number", ["number": "7"]),
            (["number": "7"], "number", ["number": "7"]), (["old": "7"], nil, ["number": "7"]),
        ] as [([String: String], String?, [String: String])])
    func rename(before: [String: String], converted: String?, after: [String: String]) throws {
        let store = MemoryStore(before)
        let settings = SettingsService.over(store)
        let changes = Recorder<Int>()
        let token = settings.observe(Self.number) { changes.append($0.newValue) }
        let step: SettingsService.Migration =
            converted.map { .rename($0, to: Self.number) { (old: String) in Int(old) } }
            ?? .rename("old", to: Self.number)
        for _ in 0..<2 { try settings.migrate([step]) }
        #expect(try contents(store) == after)
        #expect(changes.all == (after["number"] == before["number"] ? [] : [7]))
        token.cancel()
    }

    @Test("A move between scopes that have one store keeps the value", arguments: [false, true])
    func oneStore(isBare: Bool) throws {
        let store = MemoryStore(["number": "7", "text": "5"])
        let steps: [SettingsService.Migration] = [
            .move(Self.number, from: .shared),
            .rename("text", in: .shared, to: Self.text) { (old: Int) in "\(old)" },
        ]
        if isBare {
            try store.migrate(steps)
        } else {
            try SettingsService(stores: [.defaults: store, .shared: store], diagnosticSink: .none).migrate(steps)
        }
        #expect(try contents(store) == ["number": "7", "text": "\"5\""])
    }

    private static let target = Setting<Double>("target", in: .defaults, default: 0)
    private static let vault = SettingsService.Scope.custom(id: "vault")

    @Test(
        "A failed step changes nothing; the error names the step and the cause, and no value",
        arguments: [
            .version("bad") { _ in throw Secret() }, .version("bad") { $0.set(target, to: .nan) },
            .rename("bad", to: target) { (old: Bool) in old ? 1 : 0 },
            .rename("bad", to: target) { (old: String) throws in
                throw EncodingError.invalidValue(old, .init(codingPath: [], debugDescription: old))
            },
            .version("bad") { _ = $0.get(Setting<Int>("unread", in: .defaults, default: 0)) },
            .rename("bad", in: vault, to: target),
            .version("bad") { $0.set(Setting<Int>("x", in: vault, default: 0), to: 1) },
        ] as [SettingsService.Migration])
    func failed(step: SettingsService.Migration) throws {
        let old = ["bad": Data("\"4711\"".utf8), "number": Data("1".utf8)]
        let store = FeedStore(old, willGet: { if $0.name == "unread" { throw Secret() } })
        let error = #expect(throws: SettingsError.self) {
            try SettingsService.over(store).migrate([
                .version("good") { $0.set(Self.number, to: 4711) }, step,
                .version("never") { _ in Issue.record("was begun") },
            ])
        }
        let found = try #require(error)
        let cause = try #require(found.underlying as? SettingsService.MigrationFailure)
        #expect(found.code == .migrationFailed && cause.step == "bad" && found.description.contains("\"bad\""))
        var dumped = ""
        dump(found, to: &dumped)
        #expect(!found.description.contains("4711") && !dumped.contains("4711"))
        #expect(store.stored == old)
    }

    @Test("Versions run once, in the order of the steps, and see the changes of earlier steps")
    func versions() throws {
        let store = MemoryStore()
        let runs = Recorder<String>()
        func step(_ id: String) -> SettingsService.Migration {
            .version(id) { t in
                runs.append(id)
                t[Self.text] += id
            }
        }
        #expect(try SettingsService.over(store).migrate([step("a"), step("b")]).appliedVersions == ["a", "b"])
        let later = SettingsService.over(store)
        let report = try later.migrate([step("b"), step("c"), step("d")])
        #expect((report.appliedVersions, report.unknownVersions) == (["c", "d"], []))
        #expect(later.get(Self.text) == "abcd")
        #expect(runs.all == ["a", "b", "c", "d"])
    }

    @Test(
        "Unknown later steps are reported; steps that were left out are not",
        arguments: [
            (["a", "b"], ["a"], ["b"]), (["a", "b", "c"], ["b"], ["c"]), (["a", "b"], ["b", "c"], []),
            (["a", "b"], ["c"], []), (["a", "b"], ["a", "b"], []), ([], ["a"], []),
        ] as [([String], [String], [String])])
    func downgrade(noted: [String], known: [String], unknown: [String]) throws {
        let store = MemoryStore()
        try SettingsService.over(store).migrate(noted.map { .version($0) { _ in } })
        let problems = Recorder<SettingsError>()
        let report = try SettingsService.over(store, problems).migrate(known.map { .version($0) { _ in } })
        #expect(report.unknownVersions == unknown)
        #expect(report.appliedVersions == known.filter { !noted.contains($0) })
        #expect(problems.codes == (unknown.isEmpty ? [] : [.newerVersion]))
        for id in unknown { #expect(problems.all.first?.description.contains("\"\(id)\"") == true) }
    }

    @Test("A migration calls hooks once and notifies listeners once, of its result")
    func told() throws {
        let settings = SettingsService.over(MemoryStore(["old": "\"x\"", "hooked:count": "1"]))
        let count = Setting<Int>("count", in: .defaults, namespace: Hooked.self, default: 0)
        let name = Setting<String?>("name", in: .defaults, namespace: Hooked.self)
        let changes = Recorder<[Int]>()
        let sets = Recorder<SettingsService.ChangeSet>()
        let tokens = [
            settings.observe(count) { changes.append([$0.oldValue, $0.newValue]) },
            settings.observe(in: .defaults) { sets.append($0) },
        ]
        try settings.migrate([
            .rename("old", to: name),
            .version("one") { $0[count] += 1 },
            .version("two") { $0[count] += 1 },
        ])
        #expect(changes.all == [[1, 3]] && sets.count == 1)
        #expect(sets.all.first?.keys.isSuperset(of: [count.key, name.key]) == true)
        #expect(Hooked.calls.all == ["pre", "post"])
        for token in tokens { token.cancel() }
    }

    @Test(
        "The ledger's store is written last, when the others are synchronized, and old values are removed after it",
        arguments: [SettingsService.Scope.defaults, .shared])
    func ledgerLast(scope: SettingsService.Scope) throws {
        let calls = Recorder<String>()
        func store(_ name: String, _ contents: [String: Data] = [:]) -> FeedStore {
            FeedStore(
                contents,
                willWrite: { writes in
                    if !writes.isEmpty { calls.append("\(name) \(writes.map(\.key.name).joined(separator: " "))") }
                }, willSynchronize: { calls.append("\(name) synchronized") })
        }
        let settings = SettingsService(
            stores: [
                .defaults: store("local"), .shared: store("shared"),
                .custom(id: "b"): store("b", ["theme": Data("7".utf8)]),
            ], diagnosticSink: .none)
        let theme = Setting<Int>("theme", in: .defaults, default: 0)
        let steps: [SettingsService.Migration] = [
            .move(theme, from: .custom(id: "b")),
            .version("a") { $0.set(Setting<Int>("n", in: .shared, default: 0), to: 1) },
        ]
        #expect(try settings.migrate(steps, in: scope).appliedVersions == ["a"])
        let near = "local theme", far = "shared n", ledger = " \(SettingsService.migrationLedger)"
        #expect(
            calls.all
                == (scope == .defaults
                    ? [far, "shared synchronized", near + ledger, "local synchronized", "b theme"]
                    : [near, "local synchronized", far + ledger, "shared synchronized", "b theme"]))
        #expect(settings.get(theme) == 7 && settings.keys(in: .custom(id: "b")).isEmpty)
    }
}
