import Foundation
import SettingsKitCore
import Testing

@Suite("A setting over a store with layers", .timeLimit(Rounds.timeLimit))
struct CandidateTests {
    private let port = Setting<Int>("port", in: .defaults, default: 1, validation: .range(1...9_999))
    private let isMuted = Setting<Bool>("muted", in: .defaults, default: false)
    private let volume = Setting<Double>("volume", in: .defaults, default: 0.5)
    private let store = ThreeLayers()
    private let problems = Recorder<SettingsError>()

    private func service() -> SettingsService { SettingsService.over(store.layered, problems) }

    @Test("What a setting does not accept is diagnosed once with the layer, and the next layer counts")
    func fallingThrough() {
        store.change("port", in: "managed", to: "oops")
        store.change("port", in: nil, to: "100000")
        store.change("port", in: "system", to: "8")
        let settings = service()
        for _ in 0..<3 { #expect(settings.get(port) == 8) }
        #expect(settings.source(of: port) == .layer("system"))
        #expect(problems.all.map(\.code) == [.decodingFailed, .invalidValue])
        #expect(problems.all.map(\.layer) == ["managed", nil])
        #expect(problems.all.allSatisfy { $0.expected?.contains("from 1 to 9999") == true })
        #expect(settings.problem(of: port)?.code == .decodingFailed)
        #expect(problems.all.allSatisfy { !$0.description.contains("oops") && !$0.description.contains("100000") })
    }

    @Test("Setting the value in force while bad bytes are stored writes it")
    func overwritingBadBytes() {
        let settings = service()
        settings.set(port, to: 8)
        store.change("port", in: nil, to: "oops")
        settings.update(port) { #expect($0 == 8) }
        #expect(store.held("port") == "8")
        store.change("port", in: nil, to: "0")
        settings.set(port, to: 8)
        #expect(store.held("port") == "8" && settings.get(port) == 8)
    }

    @Test("Text is read by the setting's type: variables, arguments with a value, flags")
    func text() throws {
        func service(_ arguments: [String], _ variables: [String: String]) throws -> SettingsService {
            let layers: [LayeredStore.Layer] = [
                .arguments(arguments), .environment(prefix: "P_", variables), .writable(MemoryStore()),
            ]
            return SettingsService.over(try LayeredStore(layers), problems)
        }
        let settings = try service(["--muted", "--volume", "0.8"], ["P_PORT": "80"])
        #expect(settings.get(port) == 80 && settings.get(isMuted) && settings.get(volume) == 0.8)
        #expect(problems.all.isEmpty)
        let others = try service(["--volume"], ["P_MUTED": "maybe", "P_PORT": "eighty"])
        #expect(others.get(volume) == 0.5 && !others.get(isMuted) && others.get(port) == 1)
        #expect(problems.all.map(\.code) == [.invalidValue, .invalidValue, .invalidValue])
    }

    @Test(
        "An argument that negates a Boolean says nothing about a setting of another type, and does not hide its option")
    func negations() throws {
        let delay = Setting<Int>("delay", in: .defaults, default: 1)
        let noDelay = Setting<Bool>("noDelay", in: .defaults, default: false)
        for (arguments, value, flag) in [
            (["--delay", "5", "--no-delay"], 5, true), (["--delay=6", "--no-delay"], 6, true),
            (["--no-delay"], 1, true),
            (["--no-delay", "--delay", "7"], 7, true), (["--no-delay=false", "--delay", "8"], 8, false),
        ] {
            let store = try LayeredStore([.arguments(arguments), .writable(MemoryStore())])
            let settings = SettingsService.over(store, problems)
            #expect(settings.get(delay) == value && settings.get(noDelay) == flag, "\(arguments)")
            #expect(try settings.load(delay) == value && settings.isLocked(delay) == (value != 1))
        }
        let store = try LayeredStore([
            .arguments(["--muted", "--no-muted", "--no-muted=x"]), .writable(MemoryStore(["muted": Data("true".utf8)])),
        ])
        #expect(!SettingsService.over(store).get(isMuted) && problems.all.isEmpty)
    }

    @Test("A locked setting cannot be changed in any way, and the attempt names the layer")
    func locked() throws {
        store.change("port", in: "managed", to: "4")
        store.change("port", in: nil, to: "3")
        let settings = service()
        func error(_ body: () throws -> Void) -> SettingsError? {
            do { try body() } catch { return error as? SettingsError }
            return nil
        }
        let attempts: [() throws -> Void] = [
            { try settings.save(port, to: 9) },
            { try settings.save { (t: inout SettingsService.Transaction) throws in t.set(port, to: 9) } },
            {
                try settings.save { (t: inout SettingsService.Transaction) throws in
                    t.set(isMuted, to: true); t.reset(port)
                }
            },
            { try settings.save { $0.update(port) { $0 += 1 } } },
            { try store.layered.save(port, to: 9) },
            { try Persister(port, in: settings).save(9) },
            { try Persister(port, in: settings).remove() },
            { try settings.set(port, fromText: "9") },
            { _ = try settings.migrate([.version("x") { $0.set(port, to: 9) }]) },
        ]
        for attempt in attempts {
            let failure = error(attempt)
            let inner = (failure?.underlying as? SettingsService.MigrationFailure)?.underlying as? SettingsError
            #expect((inner ?? failure)?.code == .locked && (inner ?? failure)?.layer == "managed")
        }
        #expect(store.held("port") == "3" && store.held("muted") == nil)
        for _ in 0..<3 {
            settings.set(port, to: 9)
            settings.reset(port)
            settings.update(port) { $0 += 1 }
        }
        #expect(problems.all.map(\.code) == [.locked])
        #expect(settings.get(port) == 4 && store.held("port") == "3")
        store.change("port", in: "managed", to: nil)
        try settings.save(port, to: 9)
        #expect(settings.get(port) == 9 && settings.source(of: port) == .store)
    }

    @Test("A layer that holds nothing that the setting accepts does not lock it")
    func disregardedLock() throws {
        store.change("port", in: "managed", to: "oops")
        let settings = service()
        #expect(!settings.isLocked(port))
        try settings.save(port, to: 9)
        #expect(settings.get(port) == 9 && store.held("port") == "9")
        settings.update(port) { $0 += 1 }
        settings.transaction { $0.set(port, to: $0.get(port) + 1) }
        #expect(store.held("port") == "11")
        settings.reset(port)
        #expect(store.held("port") == nil)
        settings.set(port, to: 9)
        settings.transaction { $0.reset(port) }
        #expect(store.held("port") == nil)
    }

    @Test("A transaction reads what is in force, also after its own writes")
    func transactions() {
        store.change("port", in: "system", to: "2")
        let settings = service()
        settings.transaction { t in
            #expect(t.get(port) == 2 && t.isSet(port))
            t.set(port, to: 5)
            #expect(t.get(port) == 5)
            t.reset(port)
            #expect(t.get(port) == 2)
            t.set(port, to: t.get(port) + 1)
        }
        #expect(store.held("port") == "3")
    }

    @Test("A transaction runs again if another layer changes what it has read")
    func expectations() {
        store.change("port", in: "system", to: "2")
        let settings = service()
        let runs = Recorder<Int>()
        settings.update(port) { [store] value in
            runs.append(value)
            if runs.count == 1 { store.change("port", in: "system", to: "20") }
            value += 1
        }
        #expect(runs.all == [2, 20] && store.held("port") == "21")
    }

    @Test("Resetting a namespace removes what the writable layer has, whatever other layers have")
    func namespaces() {
        enum Sound: SettingsNamespace { static let id = "sound" }
        for (name, layer) in [("other", "managed"), ("sound:b", nil), ("sound:c", "system")] as [(String, String?)] {
            store.change(name, in: layer, to: "1")
        }
        service().reset(Sound.self, in: .defaults)
        #expect(store.held("sound:b") == nil && problems.all.isEmpty)
    }
}
