import Foundation
import SettingsKitCore
import Testing

@Suite("A layered store")
struct LayeredStoreTests {
    @Test("No layers, several writable ones, and layers with wrong names or places are refused")
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
        let explained: [(layers: [LayeredStore.Layer], message: String)] = [
            (
                [.locked(store, name: "a"), .writable(store), .fallback(store, name: "a")],
                #"Two layers have the name "a"."#
            ),
            (
                [.writable(store), .arguments([]), .locked(store, name: "managed")],
                #"The locked layer "managed" must be above the writable layer."#
            ),
            (
                [.fallback(store, name: "system"), .environment(prefix: "P_", [:]), .writable(store)],
                #"The fallback layer "system" must be below the writable layer."#
            ),
        ]
        for (layers, message) in explained {
            let error = #expect(throws: SettingsError.self) { try LayeredStore(layers) }
            #expect(error?.code == .invalidLayers && error?.description.contains(message) == true)
        }
    }

    @Test("Without a writable layer, all others are read and followed, and every change is refused as read-only")
    func withoutWritable() throws {
        let (managed, system) = (MemoryStore(), MemoryStore(["a": "1"]))
        let layered = try LayeredStore([
            .fallback(system, name: "system"), .environment(prefix: "P_", ["P_B": "2"]),
            .locked(managed, name: "managed"),
        ])
        let (a, b) = (Setting<Int>("a", in: .defaults, default: 0), Setting<Int>("b", in: .defaults, default: 0))
        let problems = Recorder<SettingsError>()
        let settings = SettingsService(stores: [.defaults: layered], diagnosticSink: .init { problems.append($0) })
        #expect(settings.get(a) == 1 && settings.get(b) == 2 && settings.source(of: a) == .layer("system"))
        try managed.put("a", "3")
        try system.put("a", nil)
        #expect(settings.get(a) == 3)
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

    @Test("Arguments and variables lock above the writable layer, and only there")
    func placeLocks() throws {
        let lower = MemoryStore(["a": "2"])
        let layered = try LayeredStore([
            .environment(prefix: "", ["B": "1"]), .writable(MemoryStore()), .fallback(lower, name: "lower"),
            .arguments(["--a", "4"]),
        ])
        #expect(try layered.summary("a") == "lower=2 arguments=true")
        for text in ["5", nil] {
            let error = #expect(throws: SettingsError.self) { try layered.put("b", text) }
            #expect(error?.code == .locked && error?.layer == "environment" && error?.key == key("b"))
        }
        try layered.put("a", "5")
        #expect(try layered.summary("a") == "store=5 lower=2 arguments=true")
    }

    @Test("keys unites the stores, if all can list theirs, and removeAll empties the writable layer alone")
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
        let unlistable = try LayeredStore([.writable(user), .fallback(TwoFunctionStore(), name: "system")])
        let error = #expect(throws: SettingsError.self) { try unlistable.keys() }
        #expect(error?.code == .unsupported && error?.layer == "system")
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
