import Foundation
import SettingsKitCore
import SettingsKit
import Testing

private struct Station: SettingsRecord, Equatable {
    @SettingField(validation: .range(0...99)) var level = 3
    var isOn = false
    var url: String?
    var left = 0

    var doubled: Int {
        get { left * 2 }
        set { left = newValue / 2 }
    }

    static let empty = Station()
}

/// Reads and writes while the property list cannot be opened. The model of Core has all orders of them.
@Suite("A store that cannot be opened yet", .timeLimit(Rounds.timeLimit), .ownThreads)
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

    @Test("When it opens, stored values appear, and values that were set or reset are stored; defaults are not")
    func kept() throws {
        try withLateFile { file, settings in
            let (equal, removed) = (
                Setting<Int>("equal", in: .defaults, default: 0), Setting<Int?>("removed", in: .defaults)
            )
            for text in ["Al", "Ann"] { settings.set(name, to: text) }
            settings.set(equal, to: 0)
            settings.reset(removed)
            #expect(settings.get(name) == "Ann" && settings.get(count) == 0 && settings.get(other) == 5)
            // Once for each setting.
            #expect(file.problems.all.map(\.key) == [name.key, equal.key, removed.key])
            try file.appear(["count": 41, "name": "Bob", "equal": 3, "removed": 4, "unknown": "kept"])
            try settings.bringUpToDate()
            #expect(settings.get(count) == 41 && settings.get(name) == "Ann" && settings.get(other) == 5)
            #expect(try file.stored() == ["count": 41, "name": "Ann", "equal": 0, "unknown": "kept"])
            #expect(file.codes == [.storeUnavailable, .storeUnavailable, .storeUnavailable, .recovered])
        }
    }

    @Test("Nothing is written when nothing was set")
    func freshInstall() throws {
        try withLateFile { file, settings in
            #expect(settings.get(count) == 0)
            try file.appear()
            try settings.bringUpToDate()
            #expect(file.codes == [.recovered])
            #expect(try FileManager.default.contentsOfDirectory(atPath: file.directory).isEmpty)
        }
    }

    @Test(
        "Updates and transactions are refused and diagnosed, and calls that throw throw the reason; none keeps anything"
    )
    func refused() throws {
        try withLateFile { file, _ in
            let vault = SettingsService.Scope.custom(id: "vault")
            let far = Setting<Int>("far", in: vault, default: 0)
            let settings = file.service(stores: [vault: MemoryStore()])
            let (record, property) = (
                try SettingsStorage<Station>(name: "station", in: settings), Persister(count, in: settings)
            )
            settings.set(other, to: 10)
            let diagnosed: [() -> Bool] = [
                { settings.update(count) { $0 += 1 } == nil },
                // Also from a value that was set meanwhile: something else may be stored.
                { settings.update(other) { $0 *= 2 } == nil },
                { settings.transaction { t in t.get(count) } == nil },
                { settings.transaction { t in t.set(name, to: "Ann") } == nil },
                { settings.transaction { t in t.set(far, to: t.get(count) + 1) } == nil },
                { property.update { $0 += 1 } == nil },
                { record.update(\.left) { $0 += 1 } == nil },
                {
                    settings.reset(count, other)
                    return settings.isSet(other)
                },
                {
                    settings.reset(scope: .defaults)
                    return settings.isSet(other)
                },
            ]
            for (number, attempt) in diagnosed.enumerated() {
                #expect(attempt(), "\(number)")
                // Of the opening, of the set value, and of each attempt.
                #expect(file.codes == Array(repeating: .storeUnavailable, count: number + 3))
            }
            let throwing: [() throws -> Void] = [
                { try settings.save(count, to: 2) }, { try settings.save { $0.set(count, to: 2) } },
                { try settings.remove(other) }, { _ = try settings.load(count) }, { try settings.synchronize() },
                { try settings.migrate([.version("1") { t in t.set(count, to: 2) }]) },
                { try record.save(Station()) }, { _ = try record.load() },
            ]
            for attempt in throwing { #expect(thrownCode(attempt) == .storeUnavailable) }
            #expect(settings.get(count) == 0 && settings.get(other) == 10 && settings.get(far) == 0)
            try file.appear(["count": 41, "other": 3])
            // The call itself opens the store.
            #expect(settings.update(count) { $0 += 1 } != nil)
            #expect(try file.stored() == ["count": 42, "other": 10])
        }
    }

    @Test("A field of a record that is set is kept, and one that is calculated is refused")
    func records() throws {
        try withLateFile { file, settings in
            let record = try SettingsStorage<Station>(name: "station", in: settings)
            record.isOn = false
            record.url = nil
            record.level = 3
            record.level = 100
            #expect(file.codes.last == .invalidValue)
            record.doubled = 8
            #expect(file.codes.last == .storeUnavailable && record.left == 0)
            try file.appear(["station:isOn": true, "station:url": "x", "station:level": 9, "station:left": 5])
            try settings.bringUpToDate()
            #expect(record.get() == Station(left: 5))
        }
    }

    @Test("Listeners are notified once of each value that differs, as an external change, and may set meanwhile")
    func listeners() throws {
        try withLateFile { file, settings in
            let (changes, sets) = (Recorder<String>(), Recorder<String>())
            let subscriptions = [
                settings.observe(count) {
                    changes.append("count \($0.oldValue)-\($0.newValue) \($0.origin)")
                    settings.set(name, to: "from a listener")
                },
                settings.observe(other) { changes.append("other \($0.oldValue)-\($0.newValue) \($0.origin)") },
                settings.observe { sets.append("\($0.keys.map(\.name).sorted()) \($0.origin)") },
            ]
            settings.set(other, to: 7)
            try file.appear(["count": 41, "other": 3, "unknown": 1])
            try settings.bringUpToDate()
            #expect(changes.all == ["other 5-7 local", "count 0-41 external"])
            #expect(
                sets.all == ["[\"other\"] local", "[\"count\", \"unknown\"] external", "[\"name\"] local"])
            #expect(settings.get(name) == "from a listener")
            withExtendedLifetime(subscriptions) {}
        }
    }

    @Test("It is opened in the background, with pauses that grow to two seconds, and by what needs it alone")
    func attempts() throws {
        try withLateFile { file, settings in
            file.store.begin()
            for _ in 0..<7 { file.runScheduled() }
            let milliseconds = [100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]
            #expect(file.pauses == milliseconds.map { .milliseconds($0) })
            try file.appear(["count": 41])
            settings.set(other, to: 1)
            #expect(settings.get(count) == 0 && file.openingCount == 7)
            file.runScheduled()
            #expect(settings.get(count) == 41 && file.codes == [.storeUnavailable, .recovered])
            file.runScheduled()
            #expect(file.pauses.count == 8 && file.openingCount == 8)
        }
    }

    @Test("It stays in memory while the store cannot be written; a change that the store refuses is given up")
    func unwritable() throws {
        let target = Stubborn(["count": Data("41".utf8)])
        let problems = Recorder<SettingsError>()
        let store = RecoveringStore(
            reason: SettingsError(.memoryOnly), description: "memory", schedule: { _, _ in }
        ) { target }
        let settings = SettingsService(defaults: store, diagnosticSink: .init { problems.append($0) })
        let refused = Setting<Int>("refused", in: .defaults, default: 0)
        settings.set(count, to: 42)
        settings.set(refused, to: 1)
        #expect(thrownCode { try settings.synchronize() } == .writeFailed)
        #expect(settings.get(count) == 42)
        target.isWritable.value = true
        try settings.synchronize()
        #expect(settings.get(count) == 42 && settings.get(refused) == 0)
        #expect(target.memory.get(count.key) == Data("42".utf8))
        #expect(
            problems.codes.map(\.name) == [
                "storeUnavailable", "storeUnavailable", "writeFailed", "refused", "recovered",
            ])
    }

    @Test("No set that races with the opening is lost, and every update is made once or refused", arguments: 0..<5)
    func racing(round: Int) throws {
        try withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let services = [file.service(), file.service()]
            let own = (0..<4).map { Setting<Int>("thread \($0)", in: .defaults, default: -1) }
            let made = Atomic(0)
            inParallel(5) { number in
                if number == 4 {
                    while services[0].get(own[0]) < round * 40 {}
                    #expect(throws: Never.self) { try file.appear(["count": 41, "thread 0": -7]) }
                    return
                }
                for value in 0..<300 {
                    services[number % 2].set(own[number], to: value)
                    if services[number % 2].get(own[number]) != value { Issue.record("\(value) is lost") }
                    if services[number % 2].update(count, { $0 += 1 }) != nil { made.add(1, ordering: .relaxed) }
                }
            }
            try services[0].bringUpToDate()
            for setting in own { #expect(services[1].get(setting) == 299) }
            #expect(try file.stored()["count"] as? Int == 41 + made.load(ordering: .relaxed))
            #expect(try file.stored()["thread 0"] as? Int == 299)
        }
    }
}

/// A store in memory that can be made to fail, and that refuses one name.
private final class Stubborn: SettingsStore {
    let memory: MemoryStore
    let isWritable = Box(false)

    init(_ contents: [String: Data]) { memory = MemoryStore(contents) }

    var feed: SettingsStoreFeed? { memory.feed }

    func get(_ key: SettingsService.StorageKey) -> Data? { memory.get(key) }
    func keys() -> [String] { memory.keys() }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        guard isWritable.value else { throw SettingsError(.writeFailed) }
        if key.name == "refused" { throw SettingsError(.init(name: "refused", advice: "Never.")) }
        memory.set(key, to: data)
    }
}
