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

    private func store(_ contents: [String: String]) -> MemoryStore {
        MemoryStore(contents.mapValues { Data($0.utf8) })
    }

    private func contents(_ store: MemoryStore, _ scope: SettingsService.Scope = .defaults) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: store.keys().filter { !$0.hasPrefix(SettingsService.migrationLedger) }.map { name in
                (name, String(decoding: store.get(.init(name, scope: scope)) ?? Data(), as: UTF8.self))
            })
    }

    enum Case: CaseIterable, Sendable {
        case missing, kept, converted, targetIsOther, targetIsSame, inPlace, inPlaceDone, asItIs

        var before: [String: String] {
            switch self {
            case .missing: [:]
            case .targetIsOther: ["old": "\"7\"", "number": "8"]
            case .targetIsSame: ["old": "\"7\"", "number": "7"]
            case .inPlace: ["number": "\"7\""]
            case .inPlaceDone: ["number": "7"]
            case .kept: ["old": "\"none\""]
            case .asItIs: ["old": "7"]
            case .converted: ["old": "\"7\""]
            }
        }

        var step: SettingsService.Migration {
            switch self {
            case .inPlace, .inPlaceDone: .rename("number", to: number) { (old: String) in Int(old) }
            case .asItIs: .rename("old", to: number)
            default: .rename("old", to: number) { (old: String) in Int(old) }
            }
        }

        var after: [String: String] {
            switch self {
            case .missing, .kept, .targetIsOther: before
            default: ["number": "7"]
            }
        }
    }

    @Test("A renamed value moves unless the new name is taken or the conversion returns nil", arguments: Case.allCases)
    func rename(_ what: Case) throws {
        let store = store(what.before)
        let settings = SettingsService.over(store)
        let changes = Recorder<Int>()
        let token = settings.observe(Self.number) { changes.append($0.newValue) }
        for _ in 0..<2 { try settings.migrate([what.step]) }
        #expect(contents(store) == what.after)
        #expect(changes.all == (what.after["number"] == what.before["number"] ? [] : [7]))
        token.cancel()
    }

    @Test("A move between scopes that have one store keeps the value", arguments: 0..<20)
    func oneStore(_: Int) throws {
        for isBare in [false, true] {
            let store = store(["number": "7", "text": "5"])
            let steps: [SettingsService.Migration] = [
                .move(Self.number, from: .shared),
                .rename("text", in: .shared, to: Self.text) { (old: Int) in "\(old)" },
            ]
            if isBare {
                try store.migrate(steps)
            } else {
                let service = SettingsService(
                    stores: [.defaults: store, .shared: store], diagnosticSink: .init { _ in })
                try service.migrate(steps)
            }
            #expect(contents(store) == ["number": "7", "text": "\"5\""])
        }
    }

    enum Failure: CaseIterable, Sendable {
        case thrown, encoding, decoding, unread, noStore, noStoreToWrite, conversion

        func step(_ text: Setting<Double>) -> SettingsService.Migration {
            let vault = Setting<Int>("x", in: .custom(id: "vault"), default: 0)
            switch self {
            case .thrown: return .version("bad") { _ in throw Secret() }
            case .encoding: return .version("bad") { $0.set(text, to: .nan) }
            case .decoding: return .rename("bad", to: text) { (old: Bool) in old ? 1 : 0 }
            case .conversion:
                return .rename("bad", to: text) { (old: String) throws in
                    throw EncodingError.invalidValue(old, .init(codingPath: [], debugDescription: old))
                }
            case .unread: return .version("bad") { _ = $0.get(Setting<Int>("unread", in: .defaults, default: 0)) }
            case .noStore: return .rename("bad", in: .custom(id: "vault"), to: text)
            case .noStoreToWrite: return .version("bad") { $0.set(vault, to: 1) }
            }
        }
    }

    @Test(
        "A failed step changes nothing; the error names the step and the cause, and no value",
        arguments: Failure.allCases)
    func failed(_ failure: Failure) throws {
        let old = ["bad": Data("\"4711\"".utf8), "number": Data("1".utf8)]
        let store = FeedStore(old, willGet: { if $0.name == "unread" { throw Secret() } })
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(store, problems)
        let error = #expect(throws: SettingsError.self) {
            try settings.migrate([
                .version("good") { $0.set(Self.number, to: 4711) },
                failure.step(Setting("target", in: .defaults, default: 0)),
                .version("never") { _ in Issue.record("was begun") },
            ])
        }
        let found = try #require(error)
        #expect(found.code == .migrationFailed)
        let cause = try #require(found.underlying as? SettingsService.MigrationFailure)
        #expect(cause.step == "bad")
        #expect(found.description.contains("\"bad\""))
        for text in ["\(found)", String(reflecting: found), "\(cause)", "\(cause.underlying)"] where failure != .thrown
        {
            #expect(!text.contains("4711"))
        }
        #expect(!found.description.contains("4711"))
        var dumped = ""
        dump(found, to: &dumped)
        #expect(!dumped.contains("4711"))
        #expect(store.stored == old)
    }

    @Test("Versions run once, in the order of the steps, and see the changes of earlier steps")
    func versions() throws {
        let store = store([:])
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
        let store = store([:])
        try SettingsService.over(store).migrate(noted.map { .version($0) { _ in } })
        let problems = Recorder<SettingsError>()
        let service = SettingsService.over(store, problems)
        let report = try service.migrate(known.map { .version($0) { _ in } })
        #expect(report.unknownVersions == unknown)
        #expect(report.appliedVersions == known.filter { !noted.contains($0) })
        #expect(problems.all.map(\.code) == (unknown.isEmpty ? [] : [.newerVersion]))
        for id in unknown { #expect(problems.all.first?.description.contains("\"\(id)\"") == true) }
    }

    @Test("Ledgers are independent")
    func ledgers() throws {
        let store = store([:])
        let step = SettingsService.Migration.version("one") { $0[Self.number] += 1 }
        for ledger in ["network", "branding", "network"] { try store.migrate([step], ledger: ledger) }
        #expect(store.get(Self.number) == 2)
    }

    @Test("A migration calls hooks once and notifies listeners once, of its result")
    func told() throws {
        let store = store(["old": "\"x\"", "hooked:count": "1"])
        let settings = SettingsService.over(store)
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
        #expect(changes.all == [[1, 3]])
        #expect(sets.count == 1)
        #expect(sets.all.first?.keys.isSuperset(of: [count.key, name.key]) == true)
        #expect(Hooked.calls.all == ["pre", "post"])
        for token in tokens { token.cancel() }
    }

    @Test("A value that moves to another store is removed in the old one after the new one and the ledger are stored")
    func removedLast() throws {
        let writes = Recorder<String>()
        func record(_ store: String) -> @Sendable ([SettingsStoreBatch.Entry]) -> Void {
            { for write in $0 { writes.append("\(store) \(write.key.name)\(write.data == nil ? " removed" : "")") } }
        }
        let shared = FeedStore(["theme": Data("7".utf8)], willWrite: record("shared"))
        let local = FeedStore(willWrite: record("local"))
        let settings = SettingsService(stores: [.defaults: local, .shared: shared], diagnosticSink: .none)
        let theme = Setting<Int>("theme", in: .defaults, default: 0)
        let steps: [SettingsService.Migration] = [.move(theme, from: .shared), .version("a") { _ in }]
        for expected in [["a"], []] { #expect(try settings.migrate(steps).appliedVersions == expected) }
        #expect(writes.all == ["local theme", "local \(SettingsService.migrationLedger)", "shared theme removed"])
        #expect(settings.get(theme) == 7 && shared.stored.isEmpty)
    }

    @Test("The ledger's store is written last, when the others are synchronized", arguments: [false, true])
    func ledgerLast(isShared: Bool) throws {
        let calls = Recorder<String>()
        func store(_ name: String) -> any SettingsStore { NotingStore(name, calls) }
        let settings = SettingsService(
            stores: [.defaults: store("local"), .shared: store("shared"), .custom(id: "b"): store("b")],
            diagnosticSink: .none)
        let scopes: [SettingsService.Scope] = [.shared, .custom(id: "b"), .defaults]
        let step = SettingsService.Migration.version("a") { t in
            for scope in scopes { t.set(Setting<Int>("n", in: scope, default: 0), to: 1) }
        }
        try settings.migrate([step], in: isShared ? .shared : .defaults)
        let order = isShared ? ["local", "b", "shared"] : ["shared", "b", "local"]
        #expect(calls.all == order.flatMap { ["\($0) written", "\($0) synchronized"] }.dropLast())
    }
}

/// Records the order of writing and synchronizing.
private final class NotingStore: SettingsStore {
    private let base = MemoryStore()
    private let name: String
    private let calls: Recorder<String>

    init(_ name: String, _ calls: Recorder<String>) { (self.name, self.calls) = (name, calls) }

    var feed: SettingsStoreFeed? { base.feed }
    func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }
    func set(_ key: SettingsService.StorageKey, to data: Data?) { base.set(key, to: data) }
    func apply(_ batch: SettingsStoreBatch) -> Bool {
        if !batch.writes.isEmpty { calls.append("\(name) written") }
        return base.apply(batch)
    }
    func synchronize() { calls.append("\(name) synchronized") }
}
