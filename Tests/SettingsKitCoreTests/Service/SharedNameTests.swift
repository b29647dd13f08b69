import Foundation
import SettingsKitCore
import Testing

/// Settings that share a name, of which one rejects what the other accepts.
@Suite("Settings of one name", .timeLimit(Rounds.timeLimit))
struct SharedNameTests {
    private let low = Setting<Int>("port", in: .defaults, default: 7, validation: .range(1...60))
    private let high = Setting<Int>("port", in: .defaults, default: 5, validation: .range(30...99))

    @Test("An external value that another setting rejects is known to listeners, and stays the last good one")
    func acceptedByOne() {
        let store = FeedStore()
        let settings = SettingsService.over(store)
        #expect(settings.get(low) == 7 && settings.get(high) == 5)
        let told = Recorder<String>()
        let subscription = settings.observe(low, told.listener())
        store.changeFromOutside([("port", "20")])
        store.changeFromOutside([("port", "70")])
        #expect(settings.get(low) == 20 && settings.get(high) == 70)
        store.changeFromOutside([("port", "20")])
        settings.reset(low)
        #expect(told.all == ["7-20 external", "20-7"])
        subscription.cancel()
    }

    @Test("Bytes that this program stores are judged by themselves, even if they were external and bad before")
    func storedAgain() {
        let store = FeedStore(["port": Data("40".utf8)])
        let settings = SettingsService.over(store)
        #expect(settings.get(low) == 40 && settings.get(high) == 40)
        store.changeFromOutside([("port", "20")])
        #expect(settings.get(high) == 40)
        settings.set(high, to: 55)
        settings.set(low, to: 20)
        #expect(settings.get(low) == 20 && settings.get(high) == 5)
    }

    @Test("A value that is set while rejected bytes are judged is read, and not the default")
    func setWhileReading() {
        let store = FeedStore(["number": Data("3".utf8)])
        let settings = SettingsService.over(store)
        let whileReading = Box<(@Sendable () -> Void)?>(nil)
        let number = Setting<Int>(
            "number", in: .defaults, default: 7,
            transformer: HookedTransformer(onUntransform: { _ in whileReading.take(replacingWith: nil)?() }))
        #expect(settings.get(number) == 3)
        whileReading.value = { settings.set(number, to: 4) }
        store.changeFromOutside([("number", "oops")])
        #expect(settings.get(number) == 4)
    }
}
