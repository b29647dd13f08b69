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

    @Test("Live values and streams of values follow external changes, and a store that is replaced")
    func followed() async {
        let store = FeedStore(["number": Data("3".utf8)])
        let settings = SettingsService(stores: [:], diagnosticSink: .none)
        let live = settings.value(number)
        var values = settings.values(of: number).makeAsyncIterator()
        #expect(await values.next() == 7)
        let seen = Recorder<Int>()
        let changes: [(value: Int, change: () -> Void)] = [
            (3, { settings.register(store, for: .defaults) }), (8, { store.changeFromOutside([("number", "8")]) }),
            (4, { settings.register(TwoFunctionStore(["number": Data("4".utf8)]), for: .defaults) }),
        ]
        for (value, change) in changes {
            withObservationTracking {
                _ = live.value
            } onChange: {
                seen.append(live.value)
            }
            change()
            #expect(live.value == value)
            #expect(await values.next() == value)
        }
        #expect(seen.all == [3, 8, 4])
    }
}
