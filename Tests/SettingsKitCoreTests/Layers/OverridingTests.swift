import SettingsKitCore
import Testing

@Suite("A service with values laid over another", .timeLimit(Rounds.timeLimit))
struct OverridingTests {
    private let port = Setting<Int>("port", in: .defaults, default: 1)
    private let user = Setting<String>("user", in: .defaults, default: "www")
    private let theme = Setting<String>("theme", in: .shared, default: "system")

    @Test("Its values count, the others are those of the service below, and follow their changes")
    func values() async throws {
        let store = MemoryStore()
        let settings = SettingsService.over(store)
        settings.set(user, to: "ann")
        let preview = settings.overriding { $0[port] = 80 }
        #expect(preview.get(port) == 80 && preview.get(user) == "ann" && settings.get(port) == 1)
        settings.set(user, to: "bob")
        settings.set(port, to: 90)
        #expect(preview.get(user) == "bob" && preview.get(port) == 80)
        preview.set(user, to: "eve")
        #expect(settings.get(user) == "bob" && preview.get(user) == "eve")
        preview.reset(port)
        #expect(preview.get(port) == 90 && settings.get(port) == 90)
    }

    @Test("A scope without a store gets one in memory, and nothing reaches the stores below")
    func withoutStore() throws {
        let store = MemoryStore()
        let settings = SettingsService.over(store)
        let preview = settings.overriding {
            $0[theme] = "dark"
            $0[port] = 80
        }
        #expect(preview.get(theme) == "dark" && settings.get(theme) == "system")
        preview.set(theme, to: "light")
        preview.reset(scope: .defaults)
        #expect(preview.get(theme) == "light" && preview.get(port) == 1)
        #expect(store.keys().isEmpty)
    }

    @Test("Locks of the service below do not count, and its arguments and variables do")
    func layers() throws {
        let layered = try LayeredStore([
            .locked(MemoryStore(["port": .init("7".utf8)]), name: "managed"), .arguments(["--user", "ann"]),
            .writable(MemoryStore()),
        ])
        let settings = SettingsService.over(layered)
        #expect(settings.isLocked(port) && settings.get(user) == "ann")
        let preview = settings.overriding { $0[port] = 80 }
        #expect(preview.get(port) == 80 && preview.get(user) == "ann" && !preview.isLocked(user))
        let again = preview.overriding { $0[user] = "eve" }
        #expect(again.get(user) == "eve" && again.get(port) == 80)
    }

    @Test("What the closure throws is thrown")
    func throwing() {
        let settings = SettingsService.over(MemoryStore())
        #expect(throws: StoreBroken.self) {
            try settings.overriding { (_: inout SettingsService.Transaction) throws(StoreBroken) in throw StoreBroken()
            }
        }
    }
}
