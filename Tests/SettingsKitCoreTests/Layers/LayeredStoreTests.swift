import Foundation
import SettingsKitCore
import Testing

@Suite("A layered store")
struct LayeredStoreTests {
    @Test("No layers, several writable ones, and names that are empty, fixed or repeated, are refused")
    func refusedLayers() throws {
        let store = MemoryStore()
        let refused: [[LayeredStore.Layer]] = [
            [], [.writable(store), .writable(store)], [.fallback(store, name: "a"), .locked(store, name: "a")],
            [.writable(store), .fallback(store, name: "")],
            [.writable(store), .fallback(store, name: "a"), .locked(store, name: "a")],
            [.writable(store), .fallback(store, name: "arguments")],
            [.writable(store), .locked(store, name: "environment")],
            [.arguments([]), .arguments([]), .writable(store)],
        ]
        for layers in refused { #expect(thrownCode { try LayeredStore(layers) } == .invalidLayers) }
        let message = #expect(throws: SettingsError.self) {
            try LayeredStore([.writable(store), .fallback(store, name: "a"), .locked(store, name: "a")])
        }
        #expect(message?.description.contains(#"Two layers have the name "a"."#) == true)
    }

    @Test("Without a writable layer, all others are read and followed, and every change is refused as read-only")
    func withoutWritable() throws {
        let (managed, system) = (MemoryStore(), MemoryStore(["a": "1"]))
        let layered = try LayeredStore([
            .fallback(system, name: "system"), .environment(prefix: "P_", ["P_B": "2"]),
            .locked(managed, name: "managed"),
        ])
        let log = FeedLog(layered)
        let (a, b) = (Setting<Int>("a", in: .defaults, default: 0), Setting<Int>("b", in: .defaults, default: 0))
        let problems = Recorder<SettingsError>()
        let settings = SettingsService(stores: [.defaults: layered], diagnosticSink: .init { problems.append($0) })
        #expect(settings.get(a) == 1 && settings.get(b) == 2 && settings.source(of: a) == .layer("system"))
        try managed.put("a", "3")
        try system.put("a", nil)
        #expect(settings.get(a) == 3 && log.take().count == 2)
        #expect(!settings.isLocked(a) && !settings.isLocked(b))
        for change in [
            { try settings.save(a, to: 5) }, { try settings.save { $0.set(b, to: 5) } }, { try settings.remove(a) },
            { try layered.removeAll() }, { try layered.put("c", nil) },
        ] as [() throws -> Void] {
            #expect(thrownCode { try change() } == .readOnly)
        }
        settings.set(a, to: 5)
        #expect(settings.update(b) { $0 += 1 } == nil)
        #expect(problems.all.map(\.code) == [.readOnly, .readOnly])
        #expect(settings.get(a) == 3 && settings.get(b) == 2)
        #expect(settings.transaction { [$0.get(a), $0.get(b)] } == [3, 2])
        try settings.synchronize()
        #expect(settings.overriding { $0[a] = 7 }.get(a) == 7)
    }

    @Test("The highest layer that has a value counts, and every candidate is listed from the top")
    func precedence() throws {
        let (managed, user, system) = (MemoryStore(), MemoryStore(), MemoryStore())
        let layered = try LayeredStore([
            .locked(managed, name: "managed"), .arguments(["--volume=7"]),
            .environment(prefix: "PLAYER_", ["PLAYER_VOLUME": "6", "VOLUME": "5"]), .writable(user),
            .fallback(system, name: "system"),
        ])
        #expect(layered.layerNames == ["managed", "arguments", "environment", nil, "system"])
        for (value, store) in [managed, user, system].enumerated() { try store.put("volume", "\(value)") }
        #expect(
            try layered.summary("volume") == "managed!=0 arguments!=7 environment!=6 store=1 system=2")
        #expect(try layered.text("volume") == "0")
        try managed.put("volume", nil)
        #expect(try layered.text("volume") == "1")
        try user.put("volume", nil)
        #expect(try layered.text("volume") == "2")
        try system.put("volume", nil)
        #expect(try layered.text("volume") == nil)
        #expect(try layered.summary("volume") == "arguments!=7 environment!=6")
        #expect(try layered.summary("muted") == "")
    }

    @Test("Locked layers below the writable one and fallbacks above it are refused, and the message names them")
    func refusedPlaces() throws {
        let store = MemoryStore()
        let refused: [(layers: [LayeredStore.Layer], message: String)] = [
            (
                [.writable(store), .arguments([]), .locked(MemoryStore(), name: "managed")],
                #"The locked layer "managed" must be above the writable layer."#
            ),
            (
                [.fallback(MemoryStore(), name: "system"), .environment(prefix: "P_", [:]), .writable(store)],
                #"The fallback layer "system" must be below the writable layer."#
            ),
        ]
        for (layers, message) in refused {
            let error = #expect(throws: SettingsError.self) { try LayeredStore(layers) }
            #expect(error?.code == .invalidLayers && error?.description.contains(message) == true)
        }
    }

    @Test("Arguments and variables lock above the writable layer, and only there")
    func placeLocks() throws {
        let lower = MemoryStore(["a": "2"])
        let layered = try LayeredStore([
            .environment(prefix: "", ["B": "1"]), .writable(MemoryStore()), .fallback(lower, name: "lower"),
            .arguments(["--a", "4"]),
        ])
        #expect(try layered.summary("a") == "lower=2 arguments=true")
        #expect(thrownCode { try layered.put("b", "5") } == .locked)
        try layered.put("a", "5")
        #expect(try layered.summary("a") == "store=5 lower=2 arguments=true")
    }

    @Test("Setting and removing a locked value is refused with the layer's name, and writes nothing")
    func locked() throws {
        let (managed, user) = (MemoryStore(["a": "1"]), MemoryStore(["a": "2", "b": "2"]))
        let layered = try LayeredStore([
            .locked(managed, name: "managed"), .arguments(["--b=3"]), .writable(user),
        ])
        let log = FeedLog(layered)
        for text in ["9", nil] {
            let error = #expect(throws: SettingsError.self) { try layered.put("a", text) }
            #expect(error?.code == .locked && error?.layer == "managed" && error?.key == key("a"))
            let other = #expect(throws: SettingsError.self) { try layered.put("b", text) }
            #expect(other?.code == .locked && other?.layer == "arguments")
            #expect(other?.description.contains("--b has a value.") == true)
            #expect(other?.description.contains("3") == false)
        }
        #expect(try user.text("a") == "2" && user.text("b") == "2")
        #expect(log.take().isEmpty)
    }

    @Test("keys unites the stores, and removeAll empties the writable layer alone")
    func keysAndRemoval() throws {
        let (managed, user, system) = (
            MemoryStore(["a": "1"]), MemoryStore(["a": "2", "b": "2"]), MemoryStore(["c": "3"])
        )
        let layered = try LayeredStore([
            .locked(managed, name: "managed"), .arguments(["--d=4"]), .writable(user),
            .fallback(system, name: "system"),
        ])
        #expect(try layered.summary("d") == "arguments!=4")
        #expect(try layered.keys().sorted() == ["a", "b", "c"])
        try layered.removeAll()
        #expect(user.keys().isEmpty && managed.keys() == ["a"] && system.keys() == ["c"])
        #expect(try layered.keys().sorted() == ["a", "c"])
    }

    @Test("A layer that cannot list its names makes keys unsupported")
    func unlistable() throws {
        let layered = try LayeredStore([
            .writable(MemoryStore(["a": "1"])), .fallback(TwoFunctionStore(), name: "system"),
        ])
        let error = #expect(throws: SettingsError.self) { try layered.keys() }
        #expect(error?.code == .unsupported && error?.layer == "system")
    }

    @Test("The feed is exhaustive if those of all layers are", arguments: StoreKind.allCases)
    func exhaustiveness(kind: StoreKind) throws {
        let isExhaustive = kind != .twoFunctions
        for layers: [LayeredStore.Layer] in [
            [.writable(kind.make())], [.writable(MemoryStore()), .fallback(kind.make(), name: "system")],
            [.locked(kind.make(), name: "managed"), .arguments(["--a"]), .writable(MemoryStore())],
        ] {
            #expect(try LayeredStore(layers).feed?.isExhaustive == isExhaustive)
        }
    }

    @Test("A layer without a feed is read each time, and is never stale", arguments: [true, false])
    func readThrough(isWritable: Bool) throws {
        let store = TwoFunctionStore(["a": Data("1".utf8)])
        let layered = try LayeredStore(
            isWritable ? [.writable(store)] : [.writable(MemoryStore()), .fallback(store, name: "system")])
        #expect(try layered.text("a") == "1")
        store.poke("a", "2")
        #expect(try layered.text("a") == "2")
        store.poke("a", nil)
        #expect(try layered.text("a") == nil)
    }

    @Test("Messages name the writable layer, batches are as atomic as its own, and synchronize synchronizes it")
    func writableLayer() throws {
        let count = Box(0)
        let user = FeedStore(willSynchronize: { count.value += 1 })
        let layered = try LayeredStore([.locked(TwoFunctionStore(), name: "managed"), .writable(user)])
        #expect(layered.storeDescription == user.storeDescription)
        try layered.synchronize()
        #expect(count.value == 1)
    }

    @Test("Errors that layers report reach the store's feed, with the layer's name")
    func errors() throws {
        let (user, system) = (FeedStore(), FeedStore())
        system.report(SettingsError(.damaged))
        let layered = try LayeredStore([.writable(user), .fallback(system, name: "system")])
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(layered, problems)
        _ = settings.get(Setting<Int>("a", in: .defaults, default: 0))
        user.report(SettingsError(.notSaved))
        system.report(SettingsError(.readFailed))
        #expect(problems.codes == [.damaged, .notSaved, .readFailed])
        #expect(problems.all.map(\.layer) == ["system", nil, "system"])
        withExtendedLifetime(settings) {}
    }

    @Test("A layered store keeps no listener of a layer when it is released")
    func lifetime() throws {
        let user = MemoryStore()
        weak var released: LayeredStore?
        do {
            let layered = try LayeredStore([.writable(user)])
            released = layered
            try layered.put("a", "1")
        }
        #expect(released == nil)
        try user.put("a", "2")
    }

    @Test(
        "Names with dots, emoji and line breaks, and names composed differently, work in every layer",
        arguments: ["sound.volume", "🎛️", "line\nbreak", "caf\u{E9}", "a=b", "--", "x y", "日本語"])
    func names(name: String) throws {
        let (managed, user, system) = (MemoryStore(), MemoryStore(), MemoryStore())
        let layered = try LayeredStore([
            .locked(managed, name: "managed"), .arguments(["--\(name)=4"]), .environment(prefix: "P_", [:]),
            .writable(user), .fallback(system, name: "system"),
        ])
        let other = name.decomposedStringWithCanonicalMapping
        // The name of an option ends at the first `=`.
        let arguments = name.contains("=") ? "" : "arguments!=4 "
        try system.put(name, "1")
        try user.put(other, "2")
        try managed.put(name, "3")
        #expect(try layered.summary(other) == "managed!=3 \(arguments)store=2 system=1")
        #expect(try layered.keys().count == 1)
    }
}
