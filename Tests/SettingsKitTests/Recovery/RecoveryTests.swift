import Foundation
import SettingsKitCore
import SettingsKit
import Testing

/// Reads and writes while the property list cannot be opened.
@Suite("A store that cannot be opened yet")
struct RecoveryTests {
    private let count = Setting<Int>("count", in: .defaults, default: 0)
    private let other = Setting<Int>("other", in: .defaults, default: 5)
    private let name = Setting<String?>("name", in: .defaults)

    private func withLateFile(_ body: (LateFile, SettingsService) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            try body(file, file.service())
        }
    }

    @Test("Once a store opens, stored values appear, and values set meanwhile are stored; defaults are not")
    func setIsKept() throws {
        try withLateFile { file, settings in
            settings.set(name, to: "Ann")
            #expect(settings.get(name) == "Ann" && settings.isSet(name))
            #expect(settings.get(count) == 0 && settings.get(other) == 5)
            try file.appear(["count": 41, "name": "Bob", "unknown": "kept"])
            try settings.synchronize()
            #expect(settings.get(count) == 41 && settings.get(name) == "Ann" && settings.get(other) == 5)
            #expect(try file.stored() == ["count": 41, "name": "Ann", "unknown": "kept"])
            #expect(file.codes == [.pending, .recovered])
        }
    }

    @Test("Nothing is written when nothing was set")
    func freshInstall() throws {
        try withLateFile { file, settings in
            #expect(settings.get(count) == 0)
            try file.appear()
            try settings.synchronize()
            #expect(file.codes == [.recovered])
            let names = try FileManager.default.contentsOfDirectory(atPath: file.directory)
            #expect(names.isEmpty)
        }
    }

    @Test("An update runs again on the stored value, in its place among the other changes")
    func updateRunsAgain() throws {
        try withLateFile { file, settings in
            settings.update(count) { $0 += 1 }
            #expect(settings.get(count) == 1)
            settings.set(other, to: 10)
            settings.update(other) { $0 *= 2 }
            settings.set(name, to: "Ann")
            settings.transaction { t in
                t.set(name, to: (t.get(name) ?? "") + "\(t.get(count))")
                t.update(other) { $0 += 1 }
            }
            settings.set(name, to: settings.get(name).map { $0 + "!" })
            #expect(settings.get(name) == "Ann1!" && settings.get(other) == 21)
            try file.appear(["count": 41, "other": 3, "name": "Bob"])
            try settings.synchronize()
            #expect(settings.get(count) == 42 && settings.get(other) == 21 && settings.get(name) == "Ann1!")
            settings.update(count) { $0 += 1 }
            #expect(try file.stored() == ["count": 43, "other": 21, "name": "Ann1!"])
        }
    }

    @Test("A transaction runs again on stored values of other settings, and may come to another decision")
    func transactionDecidesAgain() throws {
        try withLateFile { file, settings in
            settings.transaction { t in if t.get(count) == 0 { t.set(name, to: "first start") } }
            #expect(settings.get(name) == "first start")
            try file.appear(["count": 41])
            try settings.synchronize()
            #expect(settings.get(name) == nil)
            #expect(try file.stored() == ["count": 41])
        }
    }

    @Test("A transaction that changed nothing in memory may change stored values")
    func transactionDecidesLater() throws {
        try withLateFile { file, settings in
            settings.transaction { t in if t.get(count) == 41 { t.set(name, to: "answer") } }
            #expect(settings.get(name) == nil && file.codes.isEmpty)
            try file.appear(["count": 41])
            try settings.synchronize()
            #expect(settings.get(name) == "answer")
        }
    }

    @Test("Ten thousand updates may wait; more are refused, diagnosed, and change nothing")
    func limit() throws {
        try withLateFile { file, settings in
            for _ in 0..<10_001 { settings.update(count) { $0 += 1 } }
            #expect(settings.get(count) == 10_000)
            #expect(file.codes == [.pending, .storeUnavailable])
            try file.appear(["count": 41])
            try settings.synchronize()
            #expect(settings.get(count) == 10_041)
        }
    }

    @Test("Every throwing call throws the reason, and keeps nothing")
    func throwing() throws {
        try withLateFile { file, settings in
            settings.set(count, to: 1)
            let attempts: [() throws -> Void] = [
                { try settings.save(count, to: 2) },
                { try settings.save { $0.set(count, to: 2) } },
                { try settings.transaction { (t: inout SettingsService.Transaction) throws in t.set(count, to: 2) } },
                { try settings.update(count) { (value: inout Int) throws in value += 1 } },
                { _ = try settings.load(count) },
                { try settings.migrate([.version("1") { t in t.set(count, to: 2) }]) },
                { try settings.synchronize() },
            ]
            for attempt in attempts { #expect(thrownCode(attempt) == .storeUnavailable) }
            settings.reset(scope: .defaults)
            #expect(settings.keys(in: .defaults) == [])
            #expect(settings.get(count) == 1)
            #expect(file.codes == [.pending, .storeUnavailable, .storeUnavailable])
            try file.appear(["count": 41, "other": 7])
            try settings.migrate([.version("1") { t in t.update(count) { $0 += 100 } }])
            #expect(settings.get(count) == 101 && settings.get(other) == 7)
        }
    }

    @Test("A save succeeds as soon as the file is there")
    func saveOpens() throws {
        try withLateFile { file, settings in
            settings.update(count) { $0 += 1 }
            try file.appear(["count": 41])
            try settings.save(name, to: "Ann")
            #expect(try file.stored() == ["count": 42, "name": "Ann"])
        }
    }

    @Test("A setting that was reset is removed from the file, and so is an optional that was set to nil")
    func resetIsKept() throws {
        try withLateFile { file, settings in
            settings.reset(count)
            settings.set(name, to: nil)
            try file.appear(["count": 41, "name": "Bob", "other": 7])
            try settings.synchronize()
            #expect(settings.get(count) == 0 && settings.get(name) == nil)
            #expect(try file.stored() == ["other": 7])
        }
    }

    @Test("A value that was set equal to the default is stored")
    func equalToDefault() throws {
        try withLateFile { file, settings in
            settings.set(count, to: 0)
            try file.appear(["count": 41])
            try settings.synchronize()
            #expect(settings.get(count) == 0)
            #expect(try file.stored() == ["count": 0])
        }
    }

    @Test("A change that would be lost is diagnosed when it is made, once for each setting")
    func diagnosed() throws {
        try withLateFile { file, settings in
            for value in 0..<10 { settings.set(count, to: value) }
            settings.update(name) { $0 = "Ann" }
            settings.transaction { $0.set(name, to: "Bob") }
            #expect(file.codes == [.pending, .pending])
            #expect(file.problems.all.map(\.key) == [count.key, name.key])
        }
    }

    @Test("A transaction that writes to another scope, too, is refused; one that only reads there is kept")
    func acrossScopes() throws {
        try withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let vault = SettingsService.Scope.custom(id: "vault")
            let far = Setting<Int>("far", in: vault, default: 0)
            let settings = file.service(stores: [vault: MemoryStore()])
            settings.set(far, to: 10)
            settings.transaction { t in
                t.set(count, to: 1)
                t.set(far, to: 1)
            }
            settings.transaction { t in t.set(far, to: t.get(count) + 1) }
            #expect(settings.get(count) == 0 && settings.get(far) == 10)
            #expect(file.codes == [.storeUnavailable, .storeUnavailable])
            settings.transaction { t in t.set(count, to: t.get(count) + t.get(far)) }
            #expect(settings.get(count) == 10)
            settings.set(far, to: 20)
            try file.appear(["count": 41])
            try settings.synchronize()
            #expect(settings.get(count) == 61)
        }
    }

    @Test("Services over an unopened store share its values in memory")
    func sharing() throws {
        try withLateFile { file, settings in
            let second = file.service()
            settings.set(count, to: 3)
            #expect(second.get(count) == 3)
            second.update(count) { $0 += 1 }
            #expect(settings.get(count) == 4)
            try file.appear(["count": 41])
            #expect(second.get(count) == 4)
            try second.synchronize()
            settings.set(count, to: 6)
            #expect(second.get(count) == 6)
        }
    }

    @Test("A default that is stored by reading it does not replace a stored value")
    func persistedDefault() throws {
        try withLateFile { file, settings in
            let kept = Persister(count, in: settings, persistDefault: .whenNil)
            #expect(kept.value == 0)
            #expect(settings.isSet(count))
            try file.appear(["count": 41])
            try settings.synchronize()
            #expect(kept.value == 41)
            #expect(try file.stored() == ["count": 41])
        }
    }

    @Test("Hooks are called when a setting is set, and not again when the file opens")
    func hooks() throws {
        try withLateFile { file, settings in
            let hooked = Setting<Int>(HookedKey())
            settings.set(hooked, to: 2)
            settings.update(hooked) { $0 += 1 }
            #expect(HookedKey.seen.all == ["0-2", "2-3"])
            try file.appear(["hooked": 41])
            try settings.synchronize()
            #expect(settings.get(hooked) == 3)
            #expect(HookedKey.seen.all == ["0-2", "2-3"])
        }
    }

    @Test("A record keeps values set before its store opens, and its updates run again")
    func records() throws {
        try withLateFile { file, settings in
            let record = try SettingsStorage<Counter>(name: "counter", in: settings)
            record.limit = 20
            record.update(\.count) { $0 += 1 }
            #expect(record.get() == Counter(count: 1, limit: 20))
            #expect(thrownCode { try record.save(Counter()) } == .storeUnavailable)
            #expect(thrownCode { try record.load() } == .storeUnavailable)
            try file.appear(["counter:count": 41, "counter:limit": 7])
            try settings.synchronize()
            #expect(record.get() == Counter(count: 42, limit: 20))
            #expect(try file.stored() == ["counter:count": 42, "counter:limit": 20])
        }
    }

    @Test("A record that was saved replaces the stored one")
    func savedRecord() throws {
        try withLateFile { file, settings in
            let record = try SettingsStorage<Counter>(name: "counter", in: settings)
            record.set(Counter(count: 0, limit: 20))
            try file.appear(["counter:count": 41, "counter:limit": 7])
            try settings.synchronize()
            #expect(record.get() == Counter(count: 0, limit: 20))
        }
    }
}

private struct Counter: SettingsRecord, Equatable {
    var count = 0
    var limit = 10

    static let empty = Counter()
}

private struct HookedKey: SettingKey {
    static let seen = Recorder<String>()

    let key = SettingsService.StorageKey("hooked", scope: .defaults)
    let defaultValue = 0

    func didChange(_ oldValue: Int, newValue: Int) { Self.seen.append("\(oldValue)-\(newValue)") }
}
