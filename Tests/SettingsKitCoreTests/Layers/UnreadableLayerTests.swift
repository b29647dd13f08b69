import Foundation
import SettingsKitCore
import SettingsTestSupport
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

    private let a = Setting<Int>("a", in: .defaults, default: 0)
    private let b = Setting<Int>("b", in: .defaults, default: 0)

    @Test("A locking layer that cannot be read locks every setting until it can be, and is named with the reason")
    func lock() throws {
        let managed = GatedStore(["b": "5"])
        managed.isReadable.value = false
        let layered = try lockedStore(managed)
        let (problems, service) = problems(of: layered)
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
        let json = JSONTree(json: Data(catalogue.json(in: service).utf8))
        guard case .array(let objects) = json, case .object(let object) = objects.first,
            case .object(let told) = object["lock"]
        else { return #expect(Bool(false), "The row has no lock.") }
        #expect(object["isLocked"] == .bool(true) && object["problem"] == nil)
        #expect(told["layer"] == .string("managed") && told["problem"] != nil)
        let error = #expect(throws: SettingsError.self) { try service.save(a, to: 2) }
        #expect(error?.description.contains("cannot be read; repair that layer.") == true)
        #expect(error?.code == .locked && (error?.underlying as? SettingsError)?.code == .readFailed)
        #expect(thrownCode { try layered.put("a", "2") } == .locked)
        #expect(thrownCode { try layered.apply(.init(writes: [.init(key: key("c"), data: nil)])) } == .locked)
        #expect(problems.codes == [.readFailed] && problems.all.map(\.layer) == ["managed"])

        managed.isReadable.value = true
        try managed.put("c", "1")
        #expect(!service.isLocked(a) && service.lock(of: a) == nil && catalogue.rows(in: service)[0].lock == nil)
        #expect(service.lock(of: b)?.layer == "managed" && service.lock(of: b)?.problem == nil)
        #expect(catalogue.rows(in: service)[1].source == .layer("managed"))
        try service.save(a, to: 2)
        #expect(service.get(b) == 5 && thrownCode { try service.save(b, to: 2) } == .locked)
    }

    @Test("A listener to a setting whose layer cannot be read is added after a few attempts to read that")
    func listener() throws {
        let managed = GatedStore()
        managed.isReadable.value = false
        let service = SettingsService.over(try lockedStore(managed))
        let changes = Recorder<Int>()
        let before = managed.attempts.value
        let subscription = service.observe(a) { changes.append($0.newValue) }
        #expect(managed.attempts.value - before <= 3)
        managed.isReadable.value = true
        try managed.put("a", "5")
        #expect(changes.all == [5])
        subscription.cancel()
    }

    @Test("An unreadable layer locks a setting that accepts no other lock; the layer of an accepted one is named")
    func lockBesideOthers() throws {
        let managed = GatedStore()
        managed.isReadable.value = false
        let service = SettingsService.over(
            try LayeredStore([
                .locked(managed, name: "managed"), .arguments(["--a=bad", "--b=7"]), .writable(MemoryStore()),
            ]))
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
        #expect(thrownCode { try service.save(a, to: 2) } == .locked)
        #expect(service.lock(of: a)?.layer == "arguments")
    }

    @Test("A fallback that cannot be read locks nothing, and its values appear when it can be read")
    func unreadableFallback() throws {
        let system = GatedStore(["a": "5", "b": "6"])
        system.isReadable.value = false
        let layered = try LayeredStore([.writable(MemoryStore(["a": "1"])), .fallback(system, name: "system")])
        let (problems, service) = problems(of: layered)
        service.set(a, to: 2)
        #expect(service.get(a) == 2 && service.get(b) == 0 && problems.codes == [.readFailed])
        system.isReadable.value = true
        #expect(service.get(b) == 6)
        service.reset(a)
        #expect(service.get(a) == 5)
    }

    @Test(
        "Beside a layer that cannot be read, transactions read, and updates write unless it locks",
        arguments: [true, false])
    func transactions(isLocking: Bool) throws {
        let (store, problems) = (GatedStore(), Recorder<SettingsError>())
        store.isReadable.value = false
        let own = LayeredStore.Layer.writable(MemoryStore(["port": "1"]))
        let settings = SettingsService.over(
            try LayeredStore(
                isLocking ? [.locked(store, name: "other"), own] : [own, .fallback(store, name: "other")]),
            problems)
        let port = Setting<Int>("port", in: .defaults, default: 0)
        #expect(settings.transaction { $0.get(port) } == 1)
        settings.update(port) { $0 += 1 }
        #expect(settings.get(port) == (isLocking ? 1 : 2))
        #expect(problems.codes == (isLocking ? [.readFailed, .locked] : []))
    }

    @Test("A writable layer that cannot be read throws from get, and is never taken for an empty one")
    func unreadableWritable() throws {
        let user = GatedStore(["a": "1"])
        user.isReadable.value = false
        let layered = try LayeredStore([.writable(user), .fallback(MemoryStore(["a": "2"]), name: "system")])
        #expect(thrownCode { try layered.get(key("a")) } == .readFailed)
        #expect(thrownCode { try layered.keys() } == .readFailed)
        let (problems, service) = problems(of: layered)
        #expect(service.update(a) { $0 += 1 } == nil && problems.codes.contains(.readFailed))
        user.isReadable.value = true
        #expect(try layered.summary("a") == "store=1 system=2")
        #expect(service.get(a) == 1)
    }

    @Test("A locking layer without a feed that cannot be read locks every name, and its last value stays in force")
    func withoutFeed() throws {
        let isReadable = Box(true)
        let managed = TwoFunctionStore(["b": Data("5".utf8)]) { _ in
            if !isReadable.value { throw StoreBroken() }
        }
        let (problems, service) = problems(of: try lockedStore(managed))
        #expect(service.get(a) == 1 && service.get(b) == 5)
        isReadable.value = false
        #expect(service.get(b) == 5)
        for setting in [a, b] { #expect(thrownCode { try service.save(setting, to: 2) } == .locked) }
        #expect(Set(problems.codes) == [.readFailed])
        isReadable.value = true
        try service.save(a, to: 2)
        #expect(thrownCode { try service.save(b, to: 2) } == .locked)
    }

    @Test("A locking layer that is not open yet locks every name, and is followed as soon as it is open")
    func recoveringLock() throws {
        let reason = SettingsError(.storeUnavailable, store: "late")
        let (isOpen, store) = (Box(false), MemoryStore(["b": "5"]))
        let standIn = RecoveringStore(reason: reason, description: "stand-in", schedule: { _, _ in }) {
            if !isOpen.value { throw reason }
            return store
        }
        let (_, service) = problems(of: try lockedStore(standIn))
        #expect(service.get(a) == 1 && service.get(b) == 0)
        #expect(thrownCode { try service.save(a, to: 2) } == .locked)
        let told = Recorder<String>()
        let subscription = service.observe(b, told.listener())
        isOpen.value = true
        #expect(standIn.tryNow() == nil)
        #expect(told.all == ["0-5 external"])
        try service.save(a, to: 2)
        try store.put("a", "3")
        #expect(service.get(a) == 3 && service.isLocked(a))
        subscription.cancel()
    }
}
