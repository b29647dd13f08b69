import Foundation
import SettingsKitCore
import Testing

/// Settings that share a name, of which one rejects what the other accepts.
@Suite("Settings of one name", .timeLimit(Rounds.timeLimit))
struct SharedNameTests {
    private let low = Setting<Int>("port", in: .defaults, default: 7, validation: .range(1...60))
    private let high = Setting<Int>("port", in: .defaults, default: 5, validation: .range(30...99))

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
}
