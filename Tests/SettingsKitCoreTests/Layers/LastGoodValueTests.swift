import Foundation
import SettingsKitCore
import Testing

@Suite("The last good value", .timeLimit(Rounds.timeLimit))
struct LastGoodValueTests {
    private let port = Setting<Int>("port", in: .defaults, default: 77, validation: .range(1...100))

    @Test("It stays for every service, handle and setting that had it, through any number of bad edits")
    func chains() throws {
        let store = FeedStore(["port": Data("10".utf8)])
        let others = [SettingsService.over(store), SettingsService.over(store)]
        let another = Setting<Int>("port", in: .defaults, default: 5, validation: .range(1...100))
        for settings in others { #expect(settings.get(port) == 10 && settings.get(another) == 10) }
        for bad in ["999", "998", "oops", "997"] {
            store.changeFromOutside([("port", bad)])
            for settings in others { #expect(settings.get(port) == 10 && settings.get(another) == 10) }
            // A service that begins later has the default.
            let problems = Recorder<SettingsError>()
            #expect(SettingsService.over(store, problems).get(port) == 77)
            #expect(problems.all.count == 1)
        }
        store.changeFromOutside([("port", "11")])
        for settings in others { #expect(settings.get(port) == 11) }
    }

    /// The setting ends before this function returns.
    private func readAndReject(_ settings: SettingsService, _ store: FeedStore) {
        let number = Setting<Int>("port", in: .defaults, default: 7)
        #expect(settings.get(number) == 10)
        store.changeFromOutside([("port", "oops")])
        #expect(settings.get(number) == 10)
    }

    @Test("A value that was stored while no setting had the name replaces an older one")
    func withoutSetting() {
        let store = FeedStore(["port": Data("10".utf8)])
        let settings = SettingsService.over(store)
        readAndReject(settings, store)
        store.changeFromOutside([("port", "5")])
        #expect(settings.get(port) == 5)
        store.changeFromOutside([("port", "oops")])
        settings.update(port) { $0 += 1 }
        #expect(settings.get(port) == 6)
    }
}
