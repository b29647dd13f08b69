import Foundation
import SettingsKitCore
import Testing

@Suite("A service over a layered store", .timeLimit(Rounds.timeLimit))
struct LayeredServiceTests {
    private let a = Setting<Int>("a", in: .defaults, default: 0)

    @Test(
        "For two layers, listeners are notified of each change of the value in force, and of no other",
        arguments: LayerChangesTests.Pair.allCases, StoreKind.allCases)
    func events(pair: LayerChangesTests.Pair, upperKind: StoreKind) throws {
        for lowerKind in StoreKind.allCases {
            let (upper, lower) = (upperKind.make().serialized, lowerKind.make().serialized)
            let settings = SettingsService.over(try pair.store(upper, over: lower))
            let told = Recorder<String>()
            let subscription = settings.observe(a) { told.append("\($0.oldValue)-\($0.newValue) \($0.origin)") }
            func step(_ store: any SettingsStore, _ text: String?, _ value: Int, _ name: String?) throws {
                try store.put("a", text)
                #expect(settings.get(a) == value, "\(upperKind) over \(lowerKind)")
                #expect(settings.source(of: a) == source(name), "\(upperKind) over \(lowerKind)")
            }
            let (up, low) = pair.names
            try step(lower, "1", 1, low)
            try step(upper, "2", 2, up)
            try step(lower, "3", 2, up)
            try step(upper, "4", 4, up)
            try step(upper, "3", 3, up)
            try step(lower, nil, 3, up)
            try step(lower, "3", 3, up)
            try step(upper, nil, 3, low)
            try step(upper, "5", 5, up)
            try step(lower, nil, 5, up)
            try step(upper, nil, 0, nil)
            #expect(
                told.all == ["0-1 local", "1-2 local", "2-4 local", "4-3 local", "3-5 local", "5-0 local"],
                "\(upperKind) over \(lowerKind)")
            subscription.cancel()
        }
    }

    /// The source with a name as in `Pair.names`; nil for the default.
    private func source(_ name: String?) -> SettingsService.Source {
        switch name {
        case nil: .default
        case "store": .store
        case let name?: .layer(name.replacing("!", with: ""))
        }
    }

    @Test("A hidden repetition of bytes notifies no listener; removing repeated bad bytes ends their last good value")
    func repetitions() throws {
        let port = Setting<Int>("port", in: .defaults, default: 1, validation: .range(1...100))
        let (managed, user) = (FeedStore(["port": Data("7".utf8)]), FeedStore())
        let settings = SettingsService.over(
            try LayeredStore([.locked(managed, name: "managed"), .writable(user)]))
        #expect(settings.get(port) == 7)
        let (told, sets) = (Recorder<String>(), Recorder<Set<String>>())
        let subscriptions = [
            settings.observe(port) { told.append("\($0.oldValue)-\($0.newValue)") },
            settings.observe { sets.append(Set($0.keys.map(\.name))) },
        ]
        for text in ["7", "8", "7", nil] { user.changeFromOutside([("port", text)]) }
        #expect(told.all.isEmpty && sets.all.isEmpty)
        managed.changeFromOutside([("port", nil)])
        user.changeFromOutside([("port", "5")])
        for store in [managed, user] { store.changeFromOutside([("port", "oops")]) }
        #expect(settings.get(port) == 5)
        user.changeFromOutside([("port", nil)])
        #expect(settings.get(port) == 1)
        #expect(told.all == ["7-1", "1-5", "5-1"])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("A stream has the values in force, and ends on the last one", arguments: StoreKind.allCases)
    func values(kind: StoreKind) async throws {
        let (managed, user) = (kind.make().serialized, kind.make())
        let settings = SettingsService.over(
            try LayeredStore([.locked(managed, name: "managed"), .arguments([]), .writable(user)]))
        let seen = Recorder<Int>()
        let task = Task { for await value in settings.values(of: a) { seen.append(value) } }
        try await until { seen.all == [0] }
        settings.set(a, to: 1)
        try await until { seen.all.last == 1 }
        try managed.put("a", "5")
        try await until { seen.all.last == 5 }
        settings.set(a, to: 2)
        try managed.put("a", nil)
        try await until { seen.all.last == 1 }
        #expect(seen.all == [0, 1, 5, 1])
        task.cancel()
    }

    @Test(
        "A locked setting cannot be changed in any way, and the attempts are diagnosed once",
        arguments: StoreKind.allCases)
    func locked(kind: StoreKind) throws {
        let (managed, user) = (kind.make().serialized, kind.make())
        let problems = Recorder<SettingsError>()
        try managed.put("a", "5")
        let settings = SettingsService.over(
            try LayeredStore([.locked(managed, name: "managed"), .writable(user)]), problems)
        #expect(settings.isLocked(a) && settings.get(a) == 5)
        for _ in 0..<3 {
            settings.set(a, to: 1)
            settings.reset(a)
            settings.update(a) { $0 += 1 }
        }
        #expect(thrownCode { try settings.save(a, to: 1) } == .locked)
        #expect(problems.all.first?.layer == "managed")
        #expect(Set(problems.codes) == [.locked] && problems.count <= 1)
        #expect(try user.text("a") == nil && settings.get(a) == 5)
        try managed.put("a", nil)
        try settings.save(a, to: 1)
        #expect(settings.get(a) == 1 && settings.source(of: a) == .store)
    }

    @Test("Text is read by the setting's type, and what it does not accept neither counts nor locks")
    func text() throws {
        let volume = Setting<Double>("sound.volume", in: .defaults, default: 0.5)
        let isMuted = Setting<Bool>("isMuted", in: .defaults, default: false)
        let settings = SettingsService.over(
            try LayeredStore([
                .arguments(["--is-muted", "no", "--sound-volume", "loud"]),
                .environment(prefix: "PLAYER_", ["PLAYER_SOUND_VOLUME": "0.8", "PLAYER_A": "many"]),
                .writable(MemoryStore()),
            ]))
        #expect(settings.get(isMuted) && settings.source(of: isMuted) == .layer("arguments"))
        #expect(settings.get(volume) == 0.8 && settings.source(of: volume) == .layer("environment"))
        #expect(settings.get(a) == 0 && !settings.isLocked(a))
        settings.set(a, to: 3)
        #expect(settings.get(a) == 3 && settings.source(of: a) == .store)
        #expect(thrownCode { try settings.save(volume, to: 1) } == .locked)
    }

    @Test(
        "An update computes on the value in force, and stores the result in the writable layer",
        arguments: StoreKind.allCases)
    func update(kind: StoreKind) throws {
        let (user, system) = (kind.make(), kind.make().serialized)
        try system.put("a", "5")
        let settings = SettingsService.over(try LayeredStore([.writable(user), .fallback(system, name: "system")]))
        settings.update(a) { $0 += 1 }
        #expect(try settings.get(a) == 6 && user.text("a") == "6" && system.text("a") == "5")
        settings.reset(a)
        #expect(settings.get(a) == 5)
    }
}

@Suite("A service over a layered store (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct LayeredServiceConcurrencyTests {
    @Test(
        "With eight writers on all layers, the last value that listeners receive is the one that is read",
        arguments: StoreKind.allCases)
    func eightWriters(kind: StoreKind) async throws {
        let a = Setting<Int>("a", in: .defaults, default: 0)
        let (upper, user, lower) = (kind.make().serialized, kind.make(), kind.make().serialized)
        let layered = try LayeredStore([
            .locked(upper, name: "managed"), .writable(user), .fallback(lower, name: "system"),
        ])
        let services = [SettingsService.over(layered), SettingsService.over(layered)]
        let logs = services.map { _ in Recorder<[Int]>() }
        let subscriptions = zip(services, logs).map { service, log in
            service.observe(a) { log.append([$0.oldValue, $0.newValue]) }
        }
        inParallel(8) { thread in
            for round in 1...150 {
                let number = thread * 1_000 + round
                let text = round % 5 == 0 ? nil : "\(number)"
                switch thread % 4 {
                case 0: try? upper.put("a", round % 2 == 0 ? nil : text)
                case 1: try? lower.put("a", text)
                case 2: services[thread / 4].set(a, to: number)
                default: services[thread / 4].update(a) { $0 += 1 }
                }
            }
        }
        for (service, log) in zip(services, logs) {
            try await until { log.all.last?.last == service.get(a) }
            for (one, next) in zip(log.all, log.all.dropFirst()) where one[1] != next[0] {
                Issue.record("after \(one) came \(next)")
            }
        }
        #expect(services[0].get(a) == services[1].get(a))
        for subscription in subscriptions { subscription.cancel() }
    }
}
