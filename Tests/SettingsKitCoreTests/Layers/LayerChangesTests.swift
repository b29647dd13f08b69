import Foundation
import SettingsKitCore
import Testing

@Suite("Changes in layers")
struct LayerChangesTests {
    /// Two layers, the upper one first, and where the writable one is.
    enum Pair: String, CaseIterable, CustomTestStringConvertible {
        case lockedAndWritable, writableAndFallback, lockedAndLocked, fallbackAndFallback

        var testDescription: String { rawValue }

        var names: (upper: String, lower: String) {
            switch self {
            case .lockedAndWritable: ("upper!", "store")
            case .writableAndFallback: ("store", "lower")
            case .lockedAndLocked: ("upper!", "lower!")
            case .fallbackAndFallback: ("upper", "lower")
            }
        }

        func store(_ upper: any SettingsStore, over lower: any SettingsStore) throws -> LayeredStore {
            switch self {
            case .lockedAndWritable: try LayeredStore([.locked(upper, name: "upper"), .writable(lower)])
            case .writableAndFallback: try LayeredStore([.writable(upper), .fallback(lower, name: "lower")])
            case .lockedAndLocked:
                try LayeredStore([
                    .locked(upper, name: "upper"), .arguments([]), .locked(lower, name: "lower"),
                    .writable(MemoryStore()),
                ])
            case .fallbackAndFallback:
                try LayeredStore([
                    .writable(MemoryStore()), .fallback(upper, name: "upper"), .environment(prefix: "P_", [:]),
                    .fallback(lower, name: "lower"),
                ])
            }
        }
    }

    @Test(
        "Setting, changing, removing, hiding, repeating and uncovering in two layers is published once each",
        arguments: Pair.allCases, StoreKind.allCases)
    func pair(pair: Pair, upperKind: StoreKind) throws {
        for lowerKind in StoreKind.allCases {
            let (upper, lower) = (upperKind.make().serialized, lowerKind.make().serialized)
            let layered = try pair.store(upper, over: lower)
            let log = FeedLog(layered)
            let (up, low) = pair.names
            func step(_ store: any SettingsStore, _ text: String?, _ published: [String], now: String) throws {
                try store.put("a", text)
                #expect(log.take() == published.map { "a: \($0)" }, "\(upperKind) over \(lowerKind)")
                #expect(try layered.summary("a") == now, "\(upperKind) over \(lowerKind)")
            }
            try step(lower, "1", [" -> \(low)=1"], now: "\(low)=1")
            try step(upper, "2", ["\(low)=1 -> \(up)=2 \(low)=1"], now: "\(up)=2 \(low)=1")
            try step(lower, "3", ["\(up)=2 \(low)=1 -> \(up)=2 \(low)=3"], now: "\(up)=2 \(low)=3")
            try step(lower, "3", [], now: "\(up)=2 \(low)=3")
            try step(upper, "4", ["\(up)=2 \(low)=3 -> \(up)=4 \(low)=3"], now: "\(up)=4 \(low)=3")
            try step(upper, "3", ["\(up)=4 \(low)=3 -> \(up)=3 \(low)=3"], now: "\(up)=3 \(low)=3")
            try step(lower, nil, ["\(up)=3 \(low)=3 -> \(up)=3"], now: "\(up)=3")
            try step(lower, "3", ["\(up)=3 -> \(up)=3 \(low)=3"], now: "\(up)=3 \(low)=3")
            try step(upper, nil, ["\(up)=3 \(low)=3 -> \(low)=3"], now: "\(low)=3")
            try step(upper, "5", ["\(low)=3 -> \(up)=5 \(low)=3"], now: "\(up)=5 \(low)=3")
            try step(lower, nil, ["\(up)=5 \(low)=3 -> \(up)=5"], now: "\(up)=5")
            try step(upper, nil, ["\(up)=5 -> "], now: "")
        }
    }

    @Test("Changes below and above text are published with it", arguments: StoreKind.allCases)
    func text(kind: StoreKind) throws {
        let (user, system) = (kind.make(), kind.make().serialized)
        let layered = try LayeredStore([
            .arguments(["--name", "A"]), .writable(user), .environment(prefix: "P_", ["P_NAME": "E", "P_OTHER": "E"]),
            .fallback(system, name: "system"),
        ])
        let log = FeedLog(layered)
        #expect(thrownCode { try layered.put("name", "1") } == .locked)
        try layered.put("other", "1")
        try system.put("other", "2")
        try layered.put("other", nil)
        try system.put("name", "3")
        #expect(
            log.take() == [
                "other: environment=E -> store=1 environment=E",
                "other: store=1 environment=E -> store=1 environment=E system=2",
                "other: store=1 environment=E system=2 -> environment=E system=2",
                "name: arguments!=true environment=E -> arguments!=true environment=E system=3",
            ])
    }

    @Test(
        "A value that a layer without a feed held before is known to the first published change",
        arguments: [true, false])
    func unreadLayers(isThroughStore: Bool) throws {
        let (user, system) = (MemoryStore(["a": "1"]), TwoFunctionStore(["a": Data("5".utf8)]))
        let layered = try LayeredStore([.writable(user), .fallback(system, name: "system")])
        let log = FeedLog(layered)
        try (isThroughStore ? layered as any SettingsStore : user).put("a", "2")
        try (isThroughStore ? layered as any SettingsStore : user).put("a", nil)
        #expect(log.take() == ["a: store=1 system=5 -> store=2 system=5", "a: store=2 system=5 -> system=5"])
    }

    @Test("A batch in a layer is published as one, with its origin")
    func batches() throws {
        let (user, system) = (FeedStore(), FeedStore())
        let layered = try LayeredStore([.writable(user), .fallback(system, name: "system")])
        let sets = Recorder<[String]>()
        let subscription = layered.feed?.observe { changes, origin in
            sets.append(changes.map(\.name).sorted() + ["\(origin)"])
        }
        system.changeFromOutside([("a", "1"), ("b", "1"), ("b", "1")])
        #expect(sets.all == [["a", "b", "external"]])
        let writes = ["a", "c"].map { SettingsStoreBatch.Entry(key: key($0), data: Data("2".utf8)) }
        #expect(try layered.apply(.init(writes: writes)))
        #expect(sets.all.last == ["a", "c", "local"])
        subscription?.cancel()
    }

    @Test("A change that a layer makes while it is loaded is not lost", arguments: ["2", nil])
    func loadingRace(text: String?) throws {
        for isNew in [false, true] {
            let system = GatedStore(["a": "1", "b": "1"])
            system.afterGet.value = { [base = system.base] read in
                base.set(key(isNew ? "new" : read.name), to: text.map { Data($0.utf8) })
            }
            let layered = try LayeredStore([.writable(MemoryStore()), .fallback(system, name: "system")])
            system.afterGet.value = { _ in }
            for name in ["a", "b", "new"] {
                #expect(try layered.text(name) == system.base.text(name))
            }
            #expect(try layered.keys().sorted() == system.base.keys().sorted())
        }
    }

    @Test("A change of a layer between its first reading and its subscription is not lost")
    func subscribingRace() throws {
        struct LateObserved: SettingsStore {
            let base = MemoryStore(["a": "1"])
            let wasRead = Box(false)
            let beforeObserving: Box<@Sendable () -> Void>
            var feed: SettingsStoreFeed? {
                beforeObserving.value()
                return base.feed
            }
            func get(_ key: SettingsService.StorageKey) -> Data? {
                defer { wasRead.value = true }
                return base.get(key)
            }
            func set(_ key: SettingsService.StorageKey, to data: Data?) { base.set(key, to: data) }
            func keys() -> [String] { base.keys() }
        }
        let (managed, beforeObserving) = (MemoryStore(), Box<@Sendable () -> Void>({}))
        let user = LateObserved(beforeObserving: beforeObserving)
        beforeObserving.value = { [base = user.base, wasRead = user.wasRead] in
            // Once the upper layer is observed, its change makes the other layers be read.
            managed.set(key("a"), to: managed.get(key("a")) == nil ? Data("2".utf8) : nil)
            if !wasRead.value { return }
            beforeObserving.value = {}
            base.set(key("a"), to: Data("2".utf8))
        }
        let layered = try LayeredStore([.locked(managed, name: "managed"), .writable(user)])
        #expect(user.wasRead.value)
        #expect(try layered.candidates(for: key("a")).last?.data == Data("2".utf8))
    }

    @Test("A change that is made while a layer without a feed is read is not overwritten by what was read")
    func readingRace() throws {
        let system = TwoFunctionStore(["a": Data("1".utf8)])
        let afterGet = Box<@Sendable () -> Void>({})
        struct Slow: SettingsStore {
            let base: TwoFunctionStore
            let afterGet: Box<@Sendable () -> Void>
            func get(_ key: SettingsService.StorageKey) throws -> Data? {
                defer { afterGet.take(replacingWith: {})() }
                return try base.get(key)
            }
            func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try base.set(key, to: data) }
        }
        let slow = Slow(base: system, afterGet: afterGet).serialized
        let layered = try LayeredStore([.writable(MemoryStore()), .fallback(slow, name: "system")])
        let log = FeedLog(layered)
        afterGet.value = { #expect(throws: Never.self) { try slow.put("a", "2") } }
        #expect(try layered.summary("a") == "system=2")
        #expect(log.take() == ["a: system=1 -> system=2"])
    }
}
