import Foundation
import Observation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("A store begins to watch its file when that matters", .timeLimit(Rounds.timeLimit))
struct LazyWatchTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)

    @Test("Another process's change after opening is seen without a listener and without a write")
    func reader() async throws {
        try await withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            let (service, _) = SettingsService.over(try open(path))
            #expect(service.get(Self.a) == 1)
            // At once, when nothing is watched yet; and again, when it may be.
            for value in 2...5 {
                try write(xml("<key>a</key><integer>\(value)</integer>"), to: path)
                #expect(try await eventually { service.get(Self.a) == value })
            }
        }
    }

    @Test("The first listener receives changes made since the store was opened, and later ones")
    func listener() async throws {
        try await withPropertyList { path in
            let (service, _) = SettingsService.over(try open(path))
            #expect(service.get(Self.a) == 0)
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            let values = service.values(of: Self.a)
            for await value in values where value == 1 { break }
            try write(xml("<key>a</key><integer>2</integer>"), to: path)
            for await value in service.values(of: Self.a) where value == 2 { break }
        }
    }

    @Test("A feed is notified of its first listener: to a setting, to a group, or through a store registered later")
    func feed() throws {
        func isHeard(_ body: (SettingsService, any SettingsStore) -> [AnyObject]) -> (before: Bool, after: Bool) {
            let store = MemoryStore()
            let log = Recorder<Bool>()
            store.feed?.onFirstListener { log.append(true) }
            let (service, _) = SettingsService.over(store)
            _ = service.get(Self.a)
            let before = !log.all.isEmpty
            let kept = body(service, store)
            return withExtendedLifetime(kept) { (before, log.all.count == 1) }
        }
        #expect(isHeard { service, _ in [] } == (false, false))
        #expect(
            isHeard { service, _ in [service.observe(Self.a) { _ in }, service.observe(Self.a) { _ in }] } == (
                false, true
            ))
        #expect(isHeard { service, _ in [service.observe { _ in }] } == (false, true))
        #expect(isHeard { service, _ in [service.value(Self.a)] } == (false, false))
        #expect(
            isHeard { service, _ in
                let value = service.value(Self.a)
                withObservationTracking {
                    _ = value.value
                } onChange: {
                }
                return [value]
            } == (false, true))
        #expect(
            isHeard { _, store in
                let (other, _) = SettingsService.over(MemoryStore())
                let subscription = other.observe(Self.a) { _ in }
                other.register(store, for: .defaults)
                return [subscription]
            } == (false, true))
    }
}
