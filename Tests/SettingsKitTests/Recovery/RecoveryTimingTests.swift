import Foundation
import SettingsKitCore
import SettingsKit
import Testing

/// When a store is opened again, and what stands in its way.
@Suite("Trying to open a store again")
struct RecoveryTimingTests {
    private let count = Setting<Int>("count", in: .defaults, default: 0)

    @Test("In the background, with pauses that grow to twelve seconds, until it is open")
    func pauses() throws {
        try withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let settings = file.service()
            file.store.begin()
            for _ in 0..<9 { file.timing.run() }
            let milliseconds = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_000, 12_000, 12_000]
            #expect(file.timing.pauses == milliseconds.map { .milliseconds($0) })
            #expect(file.timing.openings == 9)
            try file.appear(["count": 41])
            file.timing.run()
            #expect(file.codes == [.recovered])
            #expect(settings.get(count) == 41)
            file.timing.run()
            #expect(file.timing.pauses.count == 10 && file.timing.openings == 10)
        }
    }

    @Test("Reading has the background try, and touches no file itself")
    func reading() throws {
        try withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let settings = file.service()
            try file.appear(["count": 41])
            #expect(settings.get(count) == 0)
            #expect(file.timing.openings == 0)
            file.timing.run()
            #expect(settings.get(count) == 41)
            #expect(file.timing.openings == 1)
        }
    }

    @Test("Setting tries by itself")
    func setting() throws {
        try withTemporaryDirectory { directory in
            let file = try LateFile(in: directory)
            let settings = file.service()
            settings.set(count, to: 1)
            try file.appear(["count": 41])
            settings.set(count, to: 2)
            #expect(settings.get(count) == 2)
            #expect(file.codes == [.storeUnavailable, .recovered])
        }
    }

    @Test("Using it tries at most once in the pause between uses")
    func boundedRate() throws {
        let openings = Mutex(0)
        let store = RecoveringStore(
            reason: SettingsError(.storeUnavailable), description: "memory",
            timing: .init(schedule: { _, body in body() }, wait: { _ in }, pauseBetweenUses: .seconds(3_600))
        ) {
            openings.withLock { $0 += 1 }
            throw SettingsError(.storeUnavailable)
        }
        let settings = SettingsService(defaults: store, diagnosticSink: .none)
        for value in 0..<1_000 {
            settings.set(count, to: value)
            _ = settings.get(Setting<Int>("\(value)", in: .defaults, default: 0))
        }
        #expect(openings.withLock { $0 } == 0)
        #expect(thrownCode { try settings.synchronize() } == .storeUnavailable)
        #expect(openings.withLock { $0 } == 1)
    }

    @Test("It stays in memory while its changes cannot be written, and loses none")
    func unwritable() throws {
        let target = Stubborn(["count": Data("41".utf8)])
        let problems = Recorder<SettingsError>()
        let store = RecoveringStore(
            reason: SettingsError(.memoryOnly), description: "memory",
            timing: .init(schedule: { _, _ in }, wait: { _ in }, pauseBetweenUses: .seconds(3_600))
        ) { target }
        let settings = SettingsService(defaults: store, diagnosticSink: .init { problems.append($0) })
        settings.set(count, to: 42)
        settings.set(Setting<Int>("other", in: .defaults, default: 0), to: 1)
        #expect(thrownCode { try settings.synchronize() } == .writeFailed)
        #expect(settings.get(count) == 42)
        target.isWritable.store(true, ordering: .relaxed)
        try settings.synchronize()
        #expect(settings.get(count) == 42)
        #expect(target.memory.get(.init("other", scope: .defaults)) == Data("1".utf8))
        #expect(problems.all.map(\.code) == [.storeUnavailable, .storeUnavailable, .writeFailed, .recovered])
    }

    @Test("A change that the store refuses for what it is, is diagnosed, and the others are made")
    func refused() throws {
        let target = Stubborn(["count": Data("41".utf8), "unknown": Data("5".utf8)])
        target.isWritable.store(true, ordering: .relaxed)
        let problems = Recorder<SettingsError>()
        let store = RecoveringStore(
            reason: SettingsError(.memoryOnly), description: "memory",
            timing: .init(schedule: { _, _ in }, wait: { _ in }, pauseBetweenUses: .seconds(3_600))
        ) { target }
        let settings = SettingsService(defaults: store, diagnosticSink: .init { problems.append($0) })
        settings.set(Setting<Int>("refused", in: .defaults, default: 0), to: 1)
        settings.set(Setting<Int>("other", in: .defaults, default: 0), to: 1)
        settings.set(count, to: 42)
        let sets = Recorder<[String]>()
        let subscription = settings.observe { sets.append($0.keys.map(\.name).sorted()) }
        try settings.synchronize()
        #expect(settings.get(count) == 42)
        #expect(settings.get(Setting<Int>("refused", in: .defaults, default: 0)) == 0)
        #expect(target.memory.get(.init("other", scope: .defaults)) == Data("1".utf8))
        #expect(
            problems.all.map(\.code.name) == [
                "storeUnavailable", "storeUnavailable", "storeUnavailable", "refused", "recovered",
            ])
        // What is given up, and what is found, as one change.
        #expect(sets.all == [["refused", "unknown"]])
        subscription.cancel()
    }

    /// Ways in which a property list cannot be opened: what is there, and what of it is removed later.
    enum Obstacle: CaseIterable {
        case directoryInPlaceOfTheFile, circleOfLinks, logOfNewerVersion

        func put(at url: URL) throws {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            switch self {
            case .directoryInPlaceOfTheFile:
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            case .circleOfLinks:
                try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: url.path)
            case .logOfNewerVersion:
                let line = #"{"settings":"log","version":9,"log":"00000000000000aa","crc":"ddce6401"}"#
                try Data("\(line)\n".utf8).write(to: URL(fileURLWithPath: url.path + "-log"))
            }
        }

        func remove(from url: URL) throws {
            let path = self == .logOfNewerVersion ? url.path + "-log" : url.path
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("It opens when the obstacle is gone", arguments: Obstacle.allCases)
    func obstacles(obstacle: Obstacle) throws {
        try withTemporaryDirectory { directory in
            let url = URL(fileURLWithPath: directory + "/config/Settings.plist")
            try obstacle.put(at: url)
            let error = #expect(throws: SettingsError.self) { try PropertyListStore(url: url) }
            let store = RecoveringStore(
                reason: try #require(error), description: "memory", timing: ManualTiming().timing
            ) { try PropertyListStore(url: url) }
            let settings = SettingsService(defaults: store, diagnosticSink: .none)
            settings.set(count, to: 42)
            #expect(thrownCode { try settings.synchronize() } == .storeUnavailable)
            try obstacle.remove(from: url)
            try PropertyListSerialization.data(fromPropertyList: ["count": 41], format: .binary, options: 0)
                .write(to: url)
            try settings.synchronize()
            #expect(settings.get(count) == 42)
        }
    }
}

/// A store in memory that can be made to fail, and that refuses one name.
private final class Stubborn: SettingsStore {
    let memory: MemoryStore
    let isWritable = Atomic(false)

    init(_ contents: [String: Data]) { memory = MemoryStore(contents) }

    var feed: SettingsStoreFeed? { memory.feed }

    func get(_ key: SettingsService.StorageKey) -> Data? { memory.get(key) }
    func keys() -> [String] { memory.keys() }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        _ = try apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        guard isWritable.load(ordering: .relaxed) else { throw SettingsError(.writeFailed) }
        if batch.writes.contains(where: { $0.key.name == "refused" }) {
            throw SettingsError(.init(name: "refused", advice: "Never."))
        }
        return memory.apply(batch)
    }
}
