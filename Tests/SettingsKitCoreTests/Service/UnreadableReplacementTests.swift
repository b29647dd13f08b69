import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@Suite("A store that cannot be read when it is connected", .timeLimit(Rounds.timeLimit))
struct UnreadableReplacementTests {
    private let settings = SettingsService.over(FeedStore(["number": Data("1".utf8)]))
    private let number = Setting<Int>("number", in: .defaults, default: 7)
    private let isBroken = Box(true)

    /// A store that throws while `isBroken`.
    private func replacement(_ name: String) -> FeedStore {
        FeedStore([name: Data("5".utf8)], willGet: { [isBroken] _ in if isBroken.value { throw StoreBroken() } })
    }

    @Test("A setting returns the stored value as soon as the store can be read", arguments: [true, false])
    func setting(hasListener: Bool) {
        #expect(settings.get(number) == 1)
        let subscription = hasListener ? settings.observe(number) { _ in } : nil
        settings.register(replacement("number"), for: .defaults)
        isBroken.value = false
        #expect(settings.get(number) == 5)
        subscription?.cancel()
    }

    @Test("A bad edit leaves the value that was stored before it, and listeners receive what readers get")
    func badEdit() {
        let told = Recorder<String>()
        let subscription = settings.observe(number, told.listener())
        let other = replacement("number")
        settings.register(other, for: .defaults)
        #expect(settings.get(number) == 7 && told.all == ["1-7 external"])
        isBroken.value = false
        other.changeFromOutside([("number", "oops")])
        #expect(settings.get(number) == 5)
        #expect(told.all.dropFirst() == ["7-5 external"])
        other.changeFromOutside([("number", "6")])
        #expect(settings.get(number) == 6)
        #expect(told.all.dropFirst() == ["7-5 external", "5-6 external"])
        subscription.cancel()
    }
}
