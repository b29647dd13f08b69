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
            try settings.bringUpToDate()
            #expect(settings.get(count) == 41 && settings.get(name) == "Ann" && settings.get(other) == 5)
            #expect(try file.stored() == ["count": 41, "name": "Ann", "unknown": "kept"])
            #expect(file.codes == [.storeUnavailable, .recovered])
        }
    }

    @Test("Nothing is written when nothing was set")
    func freshInstall() throws {
        try withLateFile { file, settings in
            #expect(settings.get(count) == 0)
            try file.appear()
            try settings.bringUpToDate()
            #expect(file.codes == [.recovered])
            let names = try FileManager.default.contentsOfDirectory(atPath: file.directory)
            #expect(names.isEmpty)
        }
    }

    @Test("What is calculated from stored values is refused before they are known, and diagnosed")
    func calculations() throws {
        try withLateFile { file, settings in
            let record = try SettingsStorage<Counter>(name: "counter", in: settings)
            let property = Persister(count, in: settings)
            settings.set(other, to: 10)
            let attempts: [() -> Bool] = [
                { settings.update(count) { $0 += 1 } == nil },
                // Also from a value that was set meanwhile: something else may be stored.
                { settings.update(other) { $0 *= 2 } == nil },
                { settings.transaction { t in t.set(name, to: "count \(t.get(count))") } == nil },
                { settings.transaction { t in t.set(name, to: t.isSet(count) ? "set" : nil) } == nil },
                { settings.transaction { t in t.get(count) } == nil },
                { property.update { $0 += 1 } == nil },
                { record.update { $0.count += 1 } == nil },
                { record.update(\.count) { $0 += 1 } == nil },
            ]
            for (number, attempt) in attempts.enumerated() {
                #expect(attempt(), "\(number)")
                #expect(file.codes == [.storeUnavailable] + Array(repeating: .storeUnavailable, count: number + 1))
            }
            #expect(file.problems.all.last.map { "\($0)" }?.contains("before the store is open") ?? false)
            #expect(settings.get(count) == 0 && settings.get(other) == 10 && settings.get(name) == nil)
            try file.appear(["count": 41, "other": 3, "counter:count": 5])
            // The attempt itself opens the store.
            #expect(
                settings.update(count) {
                    $0 += 1; return $0
                } == 42)
            #expect(
                record.update(\.count) {
                    $0 += 1; return $0
                } == 6)
            #expect(settings.transaction { t in t.get(other) } == 10)
            #expect(try file.stored() == ["count": 42, "other": 10, "counter:count": 6])
        }
    }

    @Test("A closure is not called with what may not be stored, so that its error is none of the update's")
    func failingUpdate() throws {
        struct Failure: Error {}
        try withLateFile { file, settings in
            let record = try SettingsStorage<Counter>(name: "counter", in: settings)
            let count: Int? = try settings.update(count) { value in if value < 40 { throw Failure() } else { value } }
            let counted: Int? = try record.update(\.count) { value in if value < 40 { throw Failure() } else { value } }
            #expect(count == nil && counted == nil && file.codes == [.storeUnavailable, .storeUnavailable])
        }
    }

    @Test("A writable layer that is not open yet keeps what is set, and refuses what calculates, as without layers")
    func layered() throws {
        try withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let problems = Recorder<SettingsError>()
            let settings = SettingsService(
                defaults: try LayeredStore([.environment(prefix: "PLAYER_", [:]), .writable(file.store)]),
                diagnosticSink: .init { [problems] in problems.append($0) })
            let record = try SettingsStorage<Counter>(name: "counter", in: settings)
            settings.set(count, to: 2)
            settings.reset(name)
            record.limit = 20
            #expect(settings.get(count) == 2 && record.limit == 20)
            #expect(settings.transaction { t in t.get(other) } == nil)
            #expect(settings.update(other) { $0 += 1 } == nil)
            #expect(record.update { $0.count += 1 } == nil)
            #expect(thrownCode { try settings.load(other) } == .storeUnavailable)
            #expect(problems.all.last.map { "\($0)" }?.contains("before the store is open") ?? false)
            try file.appear(["count": 41, "name": "Bob", "other": 3, "counter:count": 7, "counter:limit": 8])
            try settings.bringUpToDate()
            #expect(try file.stored() == ["count": 2, "other": 3, "counter:count": 7, "counter:limit": 20])
        }
    }

    @Test("A transaction is refused, also one that only sets")
    func settingTransaction() throws {
        try withLateFile { file, settings in
            settings.set(name, to: "Ann")
            #expect(settings.transaction { $0.set(count, to: 2) } == nil)
            settings.reset(count, other)
            #expect(settings.get(count) == 0 && file.codes == Array(repeating: .storeUnavailable, count: 3))
            try file.appear(["count": 41, "name": "Bob", "unknown": "kept"])
            #expect(settings.transaction { $0.set(other, to: 2) } != nil)
            #expect(try file.stored() == ["count": 41, "name": "Ann", "other": 2, "unknown": "kept"])
        }
    }

    @Test("Every throwing call throws the reason, and keeps nothing")
    func throwing() throws {
        try withLateFile { file, settings in
            settings.set(count, to: 1)
            let attempts: [() throws -> Void] = [
                { try settings.save(count, to: 2) },
                { try settings.save { $0.set(count, to: 2) } },
                { try settings.remove(count) },
                { try settings.save { $0.update(count) { value in value += 1 } } },
                { _ = try settings.load(count) },
                { try settings.migrate([.version("1") { t in t.set(count, to: 2) }]) },
                { try settings.synchronize() },
            ]
            for attempt in attempts { #expect(thrownCode(attempt) == .storeUnavailable) }
            settings.reset(scope: .defaults)
            #expect(settings.keys(in: .defaults) == [])
            #expect(settings.get(count) == 1)
            #expect(file.codes == [.storeUnavailable, .storeUnavailable, .storeUnavailable])
            try file.appear(["count": 41, "other": 7])
            try settings.migrate([.version("1") { t in t.update(count) { $0 += 100 } }])
            #expect(settings.get(count) == 101 && settings.get(other) == 7)
        }
    }

    @Test("A save succeeds as soon as the file is there")
    func saveOpens() throws {
        try withLateFile { file, settings in
            settings.set(count, to: 1)
            try file.appear(["count": 41])
            try settings.save(name, to: "Ann")
            #expect(try file.stored() == ["count": 1, "name": "Ann"])
        }
    }

    @Test("A setting that was reset is removed from the file, and so is an optional that was set to nil")
    func resetIsKept() throws {
        try withLateFile { file, settings in
            settings.reset(count)
            settings.set(name, to: nil)
            try file.appear(["count": 41, "name": "Bob", "other": 7])
            try settings.bringUpToDate()
            #expect(settings.get(count) == 0 && settings.get(name) == nil)
            #expect(try file.stored() == ["other": 7])
        }
    }

    @Test("A value that was set equal to the default is stored")
    func equalToDefault() throws {
        try withLateFile { file, settings in
            settings.set(count, to: 0)
            try file.appear(["count": 41])
            try settings.bringUpToDate()
            #expect(settings.get(count) == 0)
            #expect(try file.stored() == ["count": 0])
        }
    }

    @Test("A change that would be lost is diagnosed when it is made, once for each setting")
    func diagnosed() throws {
        try withLateFile { file, settings in
            for value in 0..<10 { settings.set(count, to: value) }
            settings.set(name, to: "Ann")
            settings.set(name, to: "Bob")
            #expect(file.codes == [.storeUnavailable, .storeUnavailable])
            #expect(file.problems.all.map(\.key) == [count.key, name.key])
        }
    }

    @Test("A transaction that writes to another scope, too, is refused; also one that reads there")
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
            settings.transaction { t in t.set(count, to: t.get(far)) }
            #expect(settings.get(count) == 0 && settings.get(far) == 10)
            #expect(file.codes == [.storeUnavailable, .storeUnavailable, .storeUnavailable])
            try file.appear(["count": 41])
            settings.transaction { t in t.set(count, to: t.get(count) + t.get(far)) }
            #expect(settings.get(count) == 51)
        }
    }

    @Test("Services over an unopened store share its values in memory")
    func sharing() throws {
        try withLateFile { file, settings in
            let second = file.service()
            settings.set(count, to: 3)
            #expect(second.get(count) == 3)
            second.set(count, to: 4)
            #expect(settings.get(count) == 4)
            try file.appear(["count": 41])
            #expect(second.get(count) == 4)
            try second.bringUpToDate()
            settings.set(count, to: 6)
            #expect(second.get(count) == 6)
        }
    }

    @Test("Hooks are called when a setting is set, and not again when the file opens")
    func hooks() throws {
        try withLateFile { file, settings in
            let hooked = Setting<Int>(HookedKey())
            settings.set(hooked, to: 2)
            settings.set(hooked, to: 3)
            #expect(HookedKey.seen.all == ["0-2", "2-3"])
            try file.appear(["hooked": 41])
            try settings.bringUpToDate()
            #expect(settings.get(hooked) == 3)
            #expect(HookedKey.seen.all == ["0-2", "2-3"])
        }
    }

    @Test("A record keeps values set before its store opens")
    func records() throws {
        try withLateFile { file, settings in
            let record = try SettingsStorage<Counter>(name: "counter", in: settings)
            record.limit = 20
            #expect(record.get() == Counter(count: 0, limit: 20))
            #expect(thrownCode { try record.save(Counter()) } == .storeUnavailable)
            #expect(thrownCode { try record.load() } == .storeUnavailable)
            try file.appear(["counter:count": 41, "counter:limit": 7])
            try settings.bringUpToDate()
            #expect(record.get() == Counter(count: 41, limit: 20))
            #expect(try file.stored() == ["counter:count": 41, "counter:limit": 20])
        }
    }

    @Test("A field set to its empty value before its store opens is stored, or refused and diagnosed, and never lost")
    func emptyFields() throws {
        try withLateFile { file, settings in
            let record = try SettingsStorage<Station>(name: "station", in: settings)
            record.isOn = false
            record.url = nil
            record.level = 3
            record.level = 3
            #expect(file.codes == [.storeUnavailable, .storeUnavailable, .storeUnavailable])
            // Two fields have this value: a key path does not tell which one is meant.
            record.left = 0
            #expect(file.codes.last == .storeUnavailable)
            record.left = 1
            record.left = 0
            // A part of a field, and a property that is computed from another one.
            record.set(\.inner.x, to: 7)
            record.sum = 10
            #expect(file.codes.filter { $0 == .storeUnavailable }.count == 7)
            try file.appear([
                "station:isOn": true, "station:url": "x", "station:level": 9, "station:left": 5, "station:right": 6,
                "station:inner": ["x": 1, "y": 2],
            ])
            try settings.bringUpToDate()
            #expect(
                record.get() == Station(isOn: false, url: nil, level: 3, left: 0, right: 6, inner: .init(x: 1, y: 2)))
            record.set(\.inner.x, to: 7)
            record.sum = 10
            #expect(record.inner == Station.Inner(x: 7, y: 2) && record.right == 10)
        }
    }

    @Test("A field with an attribute that is set before its store opens is stored")
    func fieldsWithAttributes() throws {
        try withLateFile { file, settings in
            let record = try SettingsStorage<Described>(name: "described", in: settings)
            record.count = 5
            record.name = "a"
            record.level = 3
            #expect(file.codes == [.storeUnavailable, .storeUnavailable, .storeUnavailable])
            record.count = 100
            #expect(file.codes.last == .invalidValue && record.count == 5)
            // Computed from a field that is not known.
            record.doubled = 8
            #expect(file.codes.last == .storeUnavailable)
            try file.appear(["described:count": 41, "described:level": 9, "described:plain": 7])
            try settings.bringUpToDate()
            #expect(record.get() == Described(count: 5, name: "a", plain: 7))
            record.name = nil
            record.doubled = 8
            #expect(record.get() == Described(count: 4, plain: 7))
        }
    }

    @Test("A record that was saved replaces the stored one")
    func savedRecord() throws {
        try withLateFile { file, settings in
            let record = try SettingsStorage<Counter>(name: "counter", in: settings)
            record.set(Counter(count: 0, limit: 20))
            try file.appear(["counter:count": 41, "counter:limit": 7])
            try settings.bringUpToDate()
            #expect(record.get() == Counter(count: 0, limit: 20))
        }
    }
}

private struct Counter: SettingsRecord, Equatable {
    var count = 0
    var limit = 10

    static let empty = Counter()
}

private struct Described: SettingsRecord, Equatable {
    @SettingField(validation: .range(0...99)) var count = 0
    @SettingField(help: "The name.") var name: String? = nil
    @SettingField var level = 3
    var plain = 1

    var doubled: Int {
        get { count * 2 }
        set { count = newValue / 2 }
    }

    static let empty = Described()
}

private struct Station: SettingsRecord, Equatable {
    struct Inner: Codable, Equatable {
        var x = 0
        var y = 0
    }

    var isOn = false
    var url: String?
    var level = 3
    var left = 0
    var right = 0
    var inner = Inner()

    var sum: Int {
        get { left + right }
        set { right = newValue - left }
    }

    static let empty = Station()
}

private struct HookedKey: SettingKey {
    static let seen = Recorder<String>()

    let key = SettingsService.StorageKey("hooked", scope: .defaults)
    let defaultValue = 0

    func didChange(_ oldValue: Int, newValue: Int) { Self.seen.append("\(oldValue)-\(newValue)") }
}
