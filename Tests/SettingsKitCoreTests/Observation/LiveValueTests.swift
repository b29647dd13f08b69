import Foundation
import Observation
import SettingsKitCore
import Testing

@Suite("Live values", .timeLimit(Rounds.timeLimit))
struct LiveValueTests {
    private let number = Setting<Int>("number", in: .defaults, default: 7)

    @Test("Reading and writing go through to the store", arguments: StoreKind.allCases)
    func readAndWrite(kind: StoreKind) throws {
        let settings = SettingsService.over(kind.make())
        let live = settings.value(number)
        #expect(live.value == 7)
        #expect(live.key == number.key)
        live.value = 8
        live.set(9)
        live.value += 1
        #expect(settings.get(number) == 10)
        settings.set(number, to: 11)
        #expect(live.value == 11)
    }

    @Test("A tracker is notified once, of the next change, and sees the new value", arguments: StoreKind.allCases)
    func tracking(kind: StoreKind) {
        let settings = SettingsService.over(kind.make())
        let live = settings.value(number)
        let seen = Recorder<Int>()
        withObservationTracking {
            _ = live.value
        } onChange: {
            seen.append(live.value)
        }
        settings.set(number, to: 8)
        settings.set(number, to: 9)
        #expect(seen.all == [8])
    }

    @Test("Changes through another service and from outside are tracked")
    func foreignChanges() {
        let store = FeedStore()
        let live = SettingsService.over(store).value(number)
        let seen = Recorder<Int>()
        func track() {
            withObservationTracking {
                _ = live.value
            } onChange: {
                seen.append(live.value)
            }
        }
        track()
        SettingsService.over(store).set(number, to: 8)
        track()
        store.changeFromOutside([("number", "9")])
        track()
        store.changeFromOutside([("number", "9")])
        #expect(seen.all == [8, 9])
    }

    @Test("A live value keeps its service and setting alive, and lets them go")
    func lifetimes() {
        weak var service: SettingsService?
        weak var setting: Setting<Int>?
        var live: SettingsService.Value<Int>?
        do {
            let settings = SettingsService.over(MemoryStore())
            let dynamic = Setting<Int>("dynamic", in: .defaults, default: 1)
            service = settings
            setting = dynamic
            live = settings.value(dynamic)
        }
        live?.value = 5
        #expect(live?.value == 5)
        #expect(service != nil && setting != nil)
        live = nil
        #expect(service == nil && setting == nil)
    }

    @Test("A live value follows a store that is replaced")
    func replacedStore() {
        let settings = SettingsService(stores: [:], diagnosticSink: .none)
        let live = settings.value(number)
        let seen = Recorder<Int>()
        withObservationTracking {
            _ = live.value
        } onChange: {
            seen.append(live.value)
        }
        settings.register(MemoryStore(["number": Data("3".utf8)]), for: .defaults)
        #expect(live.value == 3)
        #expect(seen.all == [3])
    }
}
