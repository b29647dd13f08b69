import Foundation
import SettingsKitCore
import Testing

@Suite("Layers that cannot be read")
struct UnreadableLayerTests {
    private func lockedStore(_ managed: any SettingsStore) throws -> LayeredStore {
        try LayeredStore([.locked(managed, name: "managed"), .writable(MemoryStore(["a": "1"]))])
    }

    private func problems(of layered: LayeredStore) -> (Recorder<SettingsError>, SettingsService) {
        let problems = Recorder<SettingsError>()
        return (problems, SettingsService.over(layered, problems))
    }

    @Test("A locking layer that cannot be read at the start is reported, and locks every name until it can be")
    func unreadableAtStart() async throws {
        let managed = GatedStore(["b": "5"])
        managed.isReadable.value = false
        let layered = try lockedStore(managed)
        let (problems, service) = problems(of: layered)
        _ = service.get(Setting<Int>("a", in: .defaults, default: 0))
        #expect(problems.codes == [.readFailed] && problems.all.map(\.layer) == ["managed"])
        #expect(layered.feed?.isExhaustive == false)
        #expect(try layered.summary("a") == "store=1")
        let error = #expect(throws: SettingsError.self) { try layered.put("a", "2") }
        #expect(error?.code == .locked && error?.layer == "managed")
        #expect((error?.underlying as? SettingsError)?.code == .readFailed)
        #expect(thrownCode { try layered.apply(.init(writes: [.init(key: key("c"), data: nil)])) } == .locked)

        let log = FeedLog(layered)
        managed.isReadable.value = true
        try await until { (try? layered.summary("b")) == "managed!=5" }
        #expect(log.take() == ["b:  -> managed!=5 external"])
        #expect(layered.feed?.isExhaustive == true)
        try layered.put("a", "2")
        #expect(thrownCode { try layered.put("b", "2") } == .locked)
        #expect(problems.codes == [.readFailed])
    }

    @Test("A locking layer that cannot be read is named as the lock of each setting, with the reason")
    func lockIsTold() throws {
        let managed = GatedStore(["b": "5"])
        managed.isReadable.value = false
        let service = SettingsService.over(try lockedStore(managed))
        let (a, b) = (Setting<Int>("a", in: .defaults, default: 0), Setting<Int>("b", in: .defaults, default: 0))
        let catalogue = SettingsCatalogue("All", [SettingsGroup("Numbers", [a, b])])
        #expect(service.isLocked(a) && service.isLocked(b))
        let lock = try #require(service.lock(of: a))
        #expect(lock.layer == "managed" && lock.location == nil && lock.problem?.code == .readFailed)
        #expect(service.get(a) == 1 && service.source(of: a) == .store)
        let rows = catalogue.rows(in: service)
        #expect(rows.allSatisfy { $0.isLocked && $0.lock?.layer == "managed" && $0.lock?.problem?.code == .readFailed })
        let lines = catalogue.table(in: service).split(separator: "\n")
        #expect(
            lines.prefix(3) == ["Numbers", "  a  1  store, locked by managed", "  b  0  default, locked by managed"])
        let reason = lines.dropFirst(3).joined(separator: " ")
        #expect(reason.hasPrefix("Locked, because the layer managed cannot be read: readFailed:"))
        let json = JSONValue(json: Data(catalogue.json(in: service).utf8))
        guard case .array(let objects) = json, case .object(let object) = objects.first,
            case .object(let told) = object["lock"]
        else { return #expect(Bool(false), "The row has no lock.") }
        #expect(object["isLocked"] == .bool(true) && object["problem"] == nil)
        #expect(told["layer"] == .string("managed") && told["problem"] != nil)
        let error = #expect(throws: SettingsError.self) { try service.save(a, to: 2) }
        #expect(error?.description.contains("cannot be read; repair that layer.") == true)

        managed.isReadable.value = true
        try managed.put("c", "1")
        #expect(!service.isLocked(a) && service.lock(of: a) == nil && catalogue.rows(in: service)[0].lock == nil)
        #expect(service.lock(of: b)?.layer == "managed" && service.lock(of: b)?.problem == nil)
        #expect(catalogue.rows(in: service)[1].source == .layer("managed"))
    }

    @Test("An unreadable layer locks a setting that accepts no other lock; the layer of an accepted one is named")
    func lockBesideOthers() throws {
        let managed = GatedStore()
        managed.isReadable.value = false
        let service = SettingsService.over(
            try LayeredStore([
                .locked(managed, name: "managed"), .arguments(["--a=bad", "--b=7"]), .writable(MemoryStore()),
            ]))
        let (a, b) = (Setting<Int>("a", in: .defaults, default: 0), Setting<Int>("b", in: .defaults, default: 0))
        #expect(service.lock(of: a)?.layer == "managed" && service.lock(of: a)?.problem != nil)
        let lock = service.lock(of: b)
        #expect(lock?.layer == "arguments" && lock?.location == "--b" && lock?.problem == nil)
        #expect(thrownCode { try service.save(a, to: 2) } == .locked)
        managed.isReadable.value = true
        try managed.put("c", "1")
        #expect(service.lock(of: a) == nil)
        try service.save(a, to: 2)
        #expect(service.get(a) == 2)
    }

    @Test("A layered store that is the writable layer of another tells its locks through it")
    func lockOfTheLayersBelow() throws {
        let lower = try LayeredStore([.arguments(["--a=7"]), .writable(MemoryStore())])
        let service = SettingsService.over(try LayeredStore([.writable(lower)]))
        let a = Setting<Int>("a", in: .defaults, default: 0)
        #expect(thrownCode { try service.save(a, to: 2) } == .locked)
        #expect(service.lock(of: a)?.layer == "arguments")
    }

    @Test(
        "A layer that cannot be read is tried at most ten times a second when it is used, and at once when it publishes"
    )
    func retries() throws {
        let managed = GatedStore(["b": "5"])
        managed.isReadable.value = false
        let user = MemoryStore()
        let layered = try LayeredStore([.locked(managed, name: "managed"), .writable(user)])
        let start = ContinuousClock.now
        for number in 0..<1_000 {
            _ = try layered.candidates(for: key("a"))
            try user.put("a", "\(number)")
        }
        let tries = managed.keysCount.value
        #expect(tries <= 2 + Int((ContinuousClock.now - start) / .milliseconds(100)))
        managed.isReadable.value = true
        try managed.put("c", "6")
        #expect(try layered.feed?.isExhaustive == true && layered.summary("b") == "managed!=5")
        #expect(try layered.summary("c") == "managed!=6")
    }

    @Test("A fallback that cannot be read locks nothing, and its values appear when it can be read")
    func unreadableFallback() async throws {
        let system = GatedStore(["a": "5", "b": "6"])
        system.isReadable.value = false
        let layered = try LayeredStore([.writable(MemoryStore(["a": "1"])), .fallback(system, name: "system")])
        let log = FeedLog(layered)
        try layered.put("a", "2")
        #expect(log.take() == ["a: store=1 -> store=2"])
        system.isReadable.value = true
        try await until { (try? layered.summary("b")) == "system=6" }
        #expect(log.take().sorted() == ["a: store=2 -> store=2 system=5 external", "b:  -> system=6 external"])
    }

    @Test("A writable layer that cannot be read throws from get, and is never taken for an empty one")
    func unreadableWritable() async throws {
        let user = GatedStore(["a": "1"])
        user.isReadable.value = false
        let layered = try LayeredStore([.writable(user), .fallback(MemoryStore(["a": "2"]), name: "system")])
        #expect(thrownCode { try layered.get(key("a")) } == .readFailed)
        #expect(thrownCode { try layered.keys() } == .readFailed)
        user.isReadable.value = true
        #expect(try layered.summary("a") == "store=1 system=2")
        try await until { (try? layered.keys()) == ["a"] && layered.feed?.isExhaustive == true }
    }

    @Test("A locking layer without a feed keeps its last known locks, and locks the names that it was not asked for")
    func withoutFeed() throws {
        let isReadable = Box(true)
        let managed = TwoFunctionStore(["b": Data("5".utf8)]) { _ in
            if !isReadable.value { throw StoreBroken() }
        }
        let layered = try lockedStore(managed)
        let (problems, service) = problems(of: layered)
        #expect(try layered.summary("a") == "store=1" && layered.summary("b") == "managed!=5")
        isReadable.value = false
        _ = service.get(Setting<Int>("a", in: .defaults, default: 0))
        try layered.put("a", "2")
        #expect(try layered.summary("b") == "managed!=5")
        #expect(thrownCode { try layered.put("b", "2") } == .locked)
        #expect(thrownCode { try layered.put("unknown", "2") } == .locked)
        #expect(
            thrownCode {
                try layered.apply(.init(writes: ["a", "unknown"].map { .init(key: key($0), data: nil) }))
            } == .locked)
        #expect(problems.codes == [.readFailed])
        isReadable.value = true
        try layered.put("unknown", "2")
        #expect(thrownCode { try layered.put("b", "2") } == .locked)
    }

    /// A store that is not open at the start; the test opens it.
    private final class Late: Sendable {
        let store = Box<(any SettingsStore)?>(nil)
        let scheduled = Recorder<@Sendable () -> Void>()

        func standIn() -> RecoveringStore {
            let timing = RecoveringStore.Timing(
                schedule: { [scheduled] _, body in scheduled.append(body) }, wait: { _ in })
            let reason = SettingsError(.storeUnavailable, store: "late")
            return RecoveringStore(reason: reason, description: "stand-in", timing: timing) { [store] in
                guard let store = store.value else { throw reason }
                return store
            }
        }
    }

    @Test(
        "A store that is not open yet locks every name, and is followed as soon as it is open",
        arguments: [true, false])
    func recoveringLock(isEmpty: Bool) throws {
        let late = Late()
        let standIn = late.standIn()
        let layered = try lockedStore(standIn)
        let (problems, service) = problems(of: layered)
        _ = service.get(Setting<Int>("a", in: .defaults, default: 0))
        #expect(problems.codes == [.storeUnavailable])
        #expect(try layered.summary("a") == "store=1")
        #expect(thrownCode { try layered.put("a", "2") } == .locked)
        let log = FeedLog(layered)
        let store = MemoryStore(isEmpty ? [:] : ["b": "5"])
        late.store.value = store
        #expect(standIn.tryNow() == nil)
        #expect(layered.feed?.isExhaustive == true)
        #expect(log.take() == (isEmpty ? [] : ["b:  -> managed!=5 external"]))
        try layered.put("a", "2")
        try store.put("a", "3")
        #expect(try layered.summary("a") == "managed!=3 store=2")
        withExtendedLifetime(service) {}
    }

    @Test("A writable store that is not open yet keeps what is set, and becomes exhaustive with it")
    func recoveringWritable() throws {
        let late = Late()
        let standIn = late.standIn()
        let layered = try LayeredStore([.writable(standIn), .fallback(MemoryStore(["a": "5"]), name: "system")])
        let log = FeedLog(layered)
        try layered.put("a", "1")
        #expect(try layered.summary("a") == "store=1 system=5")
        late.store.value = MemoryStore(["a": "0", "b": "2"])
        #expect(standIn.tryNow() == nil)
        #expect(layered.feed?.isExhaustive == true)
        #expect(try layered.summary("a") == "store=1 system=5" && layered.summary("b") == "store=2")
        #expect(log.take() == ["a: system=5 -> store=1 system=5", "b:  -> store=2 external"])
        #expect(try late.store.value?.text("a") == "1")
    }
}
