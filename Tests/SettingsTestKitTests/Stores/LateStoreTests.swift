import Foundation
import SettingsKitCore
import Testing

@Suite("A store that cannot be opened yet", .timeLimit(Rounds.timeLimit), .ownThreads)
struct LateStoreTests {
    @Test(
        "What is set meanwhile is in force, and stored over what others have stored when the store opens",
        arguments: StoreKind.allCases)
    func late(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let (a, b) = (
                Setting<Int>("a", in: .defaults, default: 0), Setting<Int>("b", in: .defaults, default: 0)
            )
            do {
                // Nothing is left for it to write in the background, where the file is moved next.
                let store = try medium.fresh()
                for name in ["a", "b"] { try store.set(key(name), to: Data("41".utf8)) }
                try store.bringUpToDate()
            }
            let repair = try medium.makeUnreadable()
            let reason = #expect(throws: SettingsError.self) { try medium.open() }
            // Opened by the calls alone.
            let late = RecoveringStore(
                reason: try #require(reason), description: "memory", schedule: { _, _ in }
            ) { try medium.open() }
            let (service, problems) = SettingsService.over(late)
            let log = Recorder<String>()
            let subscriptions = [a, b].map { setting in
                service.observe(setting) { log.append("\(setting.key.name) \($0.newValue) \($0.origin)") }
            }
            service.set(a, to: 42)
            #expect(service.get(a) == 42 && service.get(b) == 0)
            #expect(thrownCode { try service.synchronize() } == .storeUnavailable)
            #expect(thrownCode { try service.save { $0.update(b) { $0 += 1 } } } == .storeUnavailable)
            try repair()
            try service.synchronize()
            #expect(service.get(a) == 42 && service.get(b) == 41)
            #expect(log.all == ["a 42 local", "b 41 external"])
            #expect(problems.all.map(\.code) == [.storeUnavailable, .recovered], "\(problems.all)")
            #expect(problems.all.first?.key?.name == "a")
            #expect(try medium.fresh().texts == ["a": "42", "b": "41"])
            withExtendedLifetime(subscriptions) {}
        }
    }
}
