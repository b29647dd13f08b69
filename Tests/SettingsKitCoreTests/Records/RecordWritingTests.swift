import Foundation
import SettingsKitCore
import Testing

@Suite("Reading and writing records")
struct RecordWritingTests {
    @Test("Members are read and written like variables, computed ones too", arguments: StoreKind.allCases)
    func members(kind: StoreKind) throws {
        let store = kind.make()
        let record = try SettingsStorage<Parameters>(name: "network", in: store)
        record.attempts += 1
        record.doubledAttempts += 2
        record.apiURL = URL(string: "https://example.org")
        #expect(record.attempts == 5)
        #expect(record.doubledAttempts == 10)
        #expect(record.apiURL?.host == "example.org")
        #expect(record[\.attempts] == 5)
        #expect(record.get().attempts == 5)
        #expect(try record.load().attempts == 5)
        record.set(\.limit, to: nil)
        record.update(\.attempts) { $0 *= 2 }
        #expect(try (store.text("network:limit"), store.text("network:attempts")) == ("null", "10"))
    }

    @Test(
        "An update of a field that cannot be decoded is refused in words, and leaves the bytes; an assignment replaces them",
        arguments: StoreKind.allCases, [true, false])
    func updateIsRefused(kind: StoreKind, isRead: Bool) throws {
        let (store, problems) = (kind.make(), Recorder<SettingsError>())
        let bytes = ["network:attempts": "\"seven\"", "network:limit": "{}"]
        for (name, text) in bytes { try store.set(name, text) }
        let record = try SettingsStorage<Parameters>(name: "network", in: SettingsService.over(store, problems))
        if isRead { #expect(record.get() == .empty) }
        record.update(\.attempts) { $0 += 1 }
        record.update {
            $0.limit = ($0.limit ?? 0) + 1
            $0.isDetailed = true
        }
        for (name, text) in bytes { #expect(try store.text(name) == text) }
        #expect(!record.isDetailed)
        let refused = problems.all.filter { $0.description.contains("Nothing is calculated") }
        #expect(refused.map(\.key?.name) == ["network:attempts", "network:limit"])
        #expect(refused.allSatisfy { $0.code == .decodingFailed })
        record.update { $0.isDetailed = true }
        record.attempts = 4
        record.update(\.attempts) { $0 += 1 }
        #expect(record.isDetailed && record.attempts == 5)
        // As when another process writes them again.
        try store.set("network:attempts", "\"seven\"")
        record.update(\.attempts) { $0 += 1 }
        #expect(try store.text("network:attempts") == "\"seven\"")
    }

    @Test("A property that is computed from several fields is set with all of them as they are")
    func computedFromSeveral() throws {
        let box = Box<(@Sendable () -> Void)?>(nil)
        let store = FeedStore(willWrite: { _ in box.take(replacingWith: nil)?() })
        let record = try SettingsStorage<Parameters>(name: "network", in: store)
        record.isDetailed = true
        // Before it is written, another service changes the value that it was computed from.
        box.value = { store.changeFromOutside([("network:isDetailed", "false")]) }
        record.attemptsIfDetailed = 7
        #expect(record.attempts == 0)
        // A field of its own does not depend on others.
        let writes = Recorder<Int>()
        box.value = {
            writes.append(1)
            store.changeFromOutside([("network:isDetailed", "true")])
        }
        record.attempts = 8
        #expect(record.get() == Parameters(isDetailed: true, attempts: 8))
        #expect(writes.count == 1)
    }

    @Test("Computed properties may use the record and the store", .serialized, arguments: StoreKind.allCases)
    func reentrantProperty(kind: StoreKind) throws {
        struct Reentrant: SettingsRecord {
            static let hook = Mutex<(@Sendable () -> Int)?>(nil)
            var number = 1
            var text = "text"
            var computed: Int {
                get { number + (Self.hook.withLock { $0 }?() ?? 0) }
                set { number = newValue + (Self.hook.withLock { $0 }?() ?? 0) }
            }
            static let empty = Reentrant()
        }
        let record = try SettingsStorage<Reentrant>(name: "r", in: kind.make())
        Reentrant.hook.withLock {
            $0 = {
                record.text = "set while reading"
                return record.number
            }
        }
        #expect(record.computed == 2)
        #expect(record.text == "set while reading")
        record.computed = 4
        #expect(record.number == 5)
        Reentrant.hook.withLock { $0 = nil }
    }

    @Test("Several storages, services and settings see one record", arguments: StoreKind.allCases)
    func shared(kind: StoreKind) throws {
        let store = kind.make()
        let services = [SettingsService.over(store), SettingsService.over(store)]
        let records = try [
            SettingsStorage<Parameters>(name: "network", in: services[0]),
            SettingsStorage<Parameters>(name: "network", in: services[1]),
            SettingsStorage<Parameters>(name: "network", in: store),
        ]
        let attempts = Setting<Int>("network:attempts", in: .defaults, default: 3)
        for round in 0..<12 {
            let writer = records[round % 3]
            if round.isMultiple(of: 4) {
                services[round / 4 % 2].set(attempts, to: round)
            } else {
                writer.attempts = round
            }
            for record in records { #expect(record.attempts == round) }
            for service in services { #expect(service.get(attempts) == round) }
        }
        services[0].transaction { t in
            t.set(attempts, to: 100)
            t.set(Setting<Bool>("network:isDetailed", in: .defaults, default: false), to: true)
        }
        for record in records { #expect(record.get() == Parameters(isDetailed: true, attempts: 100)) }
        services[1].reset(attempts)
        for record in records { #expect(record.attempts == 3) }
    }

    @Test("A store without a feed is read each time")
    func readThrough() throws {
        let store = TwoFunctionStore()
        let record = try SettingsStorage<Parameters>(name: "network", in: store)
        #expect(record.attempts == 3)
        store.poke("network:attempts", "9")
        #expect(record.attempts == 9)
    }

    @Test("Values of a store with a feed are read from memory until they change")
    func kept() throws {
        let reads = Recorder<String>()
        let store = FeedStore(["network:attempts": Data("4".utf8)], willGet: { reads.append($0.name) })
        let settings = SettingsService.over(store)
        let record = try SettingsStorage<Parameters>(name: "network", in: settings)
        for _ in 0..<10 { #expect(record.attempts == 4) }
        #expect(reads.all.sorted() == ["apiURL", "armedAt", "attempts", "isDetailed", "limit"].map { "network:" + $0 })
        record.attempts = 5
        store.changeFromOutside([("network:limit", "6"), ("other", "1")])
        #expect(record.get() == Parameters(attempts: 5, limit: 6))
        #expect(reads.count == 5)
        #expect(try record.load() == Parameters(attempts: 5, limit: 6))
        #expect(reads.count == 10)
        // Another store is read again.
        settings.register(MemoryStore(["network:limit": Data("null".utf8)]), for: .defaults)
        #expect(record.get() == Parameters(limit: nil))
        record.attempts = 8
        settings.register(TwoFunctionStore(["network:attempts": Data("2".utf8)]), for: .defaults)
        #expect(record.get() == Parameters(attempts: 2))
        settings.register(store, for: .defaults)
        #expect(record.get() == Parameters(attempts: 5, limit: 6))
    }

    @Test("A record in an unreadable store reads as empty, reports the failure once, and writes nothing")
    func unreadable() throws {
        let isBroken = Box(true)
        let problems = Recorder<SettingsError>()
        let store = FeedStore(
            ["network:attempts": Data("9".utf8)],
            willGet: { _ in if isBroken.value { throw StoreBroken() } },
            willWrite: { _ in Issue.record("Nothing may be written.") })
        let record = try SettingsStorage<Parameters>(name: "network", in: SettingsService.over(store, problems))
        for _ in 0..<5 { #expect(record.get() == .empty) }
        #expect(problems.all.map(\.code) == [.readFailed])
        #expect(problems.all.first?.underlying is StoreBroken)
        #expect(thrownCode { try record.load() } == .readFailed)
        #expect(thrownCode { try record.save(Parameters(attempts: 1)) } == .readFailed)
        record.attempts = 1
        record.update { $0.isDetailed = true }
        record.set(Parameters(attempts: 2))
        #expect(problems.all.map(\.code) == Array(repeating: .readFailed, count: 4))
        isBroken.value = false
        #expect(record.attempts == 9)
    }

    @Test("A store that cannot be read in one field only makes the whole record unreadable")
    func partlyUnreadable() throws {
        let store = TwoFunctionStore(
            ["network:attempts": Data("9".utf8)],
            willGet: { if $0.name == "network:limit" { throw StoreBroken() } })
        let record = try SettingsStorage<Parameters>(name: "network", in: SettingsService.over(store))
        #expect(record.get() == .empty)
        record.attempts = 1
        #expect(store.setCount == 0)
    }

    @Test("A store that cannot be written leaves the old record", arguments: [true, false])
    func unwritable(hasFeed: Bool) throws {
        let problems = Recorder<SettingsError>()
        let isBroken = Box(false)
        let store: any SettingsStore =
            hasFeed
            ? FeedStore(willWrite: { _ in if isBroken.value { throw StoreBroken() } })
            // It breaks in the middle of a batch.
            : TwoFunctionStore(willSet: { key, data in
                if isBroken.value && key.name == "network:isDetailed" && data != nil { throw StoreBroken() }
            })
        let record = try SettingsStorage<Parameters>(name: "network", in: SettingsService.over(store, problems))
        record.attempts = 5
        isBroken.value = true
        let error = try #require(throws: SettingsError.self) {
            try record.save(Parameters(isDetailed: true, attempts: 6))
        }
        #expect(error.code == .writeFailed && error.underlying is StoreBroken)
        record.update {
            $0.isDetailed = true
            $0.attempts = 7
        }
        #expect(record.get() == Parameters(attempts: 5))
        #expect(problems.all.map(\.code) == [.writeFailed])
        #expect(try store.text("network:attempts") == "5")
        isBroken.value = false
        record.isDetailed = true
        #expect(record.get() == Parameters(isDetailed: true, attempts: 5))
    }

    @Test("What a store that cannot list its keys knows of the record is erased")
    func eraseWithoutList() throws {
        let problems = Recorder<SettingsError>()
        let store = TwoFunctionStore(["network:later": Data("1".utf8), "network:attempts": Data("2".utf8)])
        let record = try SettingsStorage<Parameters>(name: "network", in: SettingsService.over(store, problems))
        record.limit = nil
        record.reset()
        #expect(record.get() == .empty)
        #expect(store.contents.texts == ["network:later": "1"])
        #expect(problems.count == 0)
    }

    @Test("A list of keys that cannot be read erases nothing")
    func eraseUnreadable() throws {
        struct Unlisted: SettingsStore {
            let inner = TwoFunctionStore()
            func get(_ key: SettingsService.StorageKey) throws -> Data? { try inner.get(key) }
            func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try inner.set(key, to: data) }
            func keys() throws -> [String] { throw StoreBroken() }
        }
        let problems = Recorder<SettingsError>()
        let record = try SettingsStorage<Parameters>(name: "network", in: SettingsService.over(Unlisted(), problems))
        record.attempts = 5
        record.reset()
        #expect(record.attempts == 5)
        #expect(problems.all.map(\.code) == [.readFailed])
    }

    @Test("A scope without a store reads as the empty record, and refuses to be written")
    func noStore() throws {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService(stores: [:], diagnosticSink: .init { problems.append($0) })
        let record = try SettingsStorage<Parameters>(name: "network", in: settings, scope: .custom(id: "vault"))
        #expect(record.get() == .empty)
        #expect(record.attempts == 3)
        #expect(problems.all.map(\.code) == [.noStore])
        #expect(thrownCode { try record.load() } == .noStore)
        #expect(thrownCode { try record.save(Parameters(attempts: 1)) } == .noStore)
        record.attempts = 1
        record.reset()
        #expect(problems.all.map(\.code) == [.noStore, .noStore, .noStore])
        // A store that comes later is used from then on, in this scope alone.
        let store = MemoryStore(["network:attempts": Data("7".utf8)])
        settings.register(MemoryStore(["network:attempts": Data("8".utf8)]), for: .defaults)
        settings.register(store, for: .custom(id: "vault"))
        #expect(record.attempts == 7)
        record.isDetailed = true
        #expect(try store.text("network:isDetailed") == "true")
    }

    @Test("Migrations are carried out before anything is read, once, and noted for the record alone")
    func migrations() throws {
        let store = MemoryStore(["tries": Data("12".utf8), "network:limit": Data("1".utf8)])
        let runs = Recorder<String>()
        let attempts = Setting<Int>("network:attempts", in: .defaults, default: 3)
        let steps: [SettingsService.Migration] = [
            .rename("tries", to: attempts) { (old: Int) in old },
            .version("v1") { t in
                runs.append("v1")
                t.set(Setting<Int?>("network:limit", in: .defaults), to: 2)
            },
        ]
        for _ in 0..<2 {
            let record = try SettingsStorage<Parameters>(name: "network", in: store, migrations: steps)
            #expect(record.get() == Parameters(attempts: 12, limit: 2))
        }
        #expect(runs.all == ["v1"])
        _ = try SettingsStorage<Parameters>(name: "other", in: store, migrations: [steps[1]])
        #expect(runs.all == ["v1", "v1"])
        #expect(
            thrownCode {
                try SettingsStorage<Parameters>(
                    name: "network", in: store, migrations: [.version("v2") { _ in throw StoreBroken() }])
            } == .migrationFailed)
        // The ledger stays when the record is erased.
        let record = try SettingsStorage<Parameters>(name: "network", in: store, migrations: steps)
        record.reset()
        _ = try SettingsStorage<Parameters>(name: "network", in: store, migrations: steps)
        #expect(runs.all == ["v1", "v1"])
        #expect(record.get() == .empty)
    }

    @Test("A released record leaves nothing in memory, even if it had listeners")
    func release() async throws {
        final class Sentinel: Sendable {}
        struct Holding: SettingsRecord {
            static let sentinels = Recorder<Weak>()
            struct Weak: Sendable { weak let object: Sentinel? }

            var number = 0
            var sentinel: Sentinel?
            static let empty = Holding()

            private enum CodingKeys: CodingKey { case number }
            init() {}
            init(from decoder: any Decoder) throws {
                number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
                let sentinel = Sentinel()
                Self.sentinels.append(Weak(object: sentinel))
                self.sentinel = sentinel
            }
        }
        let store = MemoryStore()
        let settings = SettingsService.over(store)
        for round in 1...10 {
            let record = try SettingsStorage<Holding>(name: "h", in: settings)
            var records = record.values.makeAsyncIterator()
            record.number += round
            #expect(await records.next()?.number == record.number)
            record.reset()
        }
        #expect(Holding.sentinels.count > 10)
        #expect(Holding.sentinels.all.allSatisfy { $0.object == nil })
    }
}
