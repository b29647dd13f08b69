import Foundation
import SettingsKitCore
import Testing

/// An edit from outside that leaves something that is no value of the setting.
@Suite("A value that becomes undecodable from outside", .timeLimit(Rounds.timeLimit))
struct UndecodableChangeTests {
    private let number = Setting<Int>("number", in: .defaults, default: 7)

    @Test("The last good value stays in force, in every way to read it, whether it was read before or not")
    func staysInForce() throws {
        for wasRead in [false, true] {
            let problems = Recorder<SettingsError>()
            let store = FeedStore(["number": Data("3".utf8)])
            let settings = SettingsService.over(store, problems)
            let live = settings.value(number)
            if wasRead { #expect(live.value == 3) }
            store.changeFromOutside([("number", "oops")])
            #expect(settings.get(number) == 3 && live.value == 3)
            #expect(settings.transaction { $0.get(number) } == 3)
            #expect(thrownCode { try settings.load(number) } == .decodingFailed)
            #expect(problems.count == 1)
            #expect(problems.all.first?.store == store.storeDescription && problems.all.first?.key == number.key)
            settings.update(number) { $0 += 1 }
            #expect(settings.get(number) == 4)
            #expect(try store.text("number") == "4")
        }
    }

    @Test(
        "A reader of values that saw an undecodable edit before the good one was delivered still gets the good one",
        arguments: [false, true])
    func readerBetween(isLate: Bool) async throws {
        let other = Setting<Int>("other", in: .defaults, default: 0)
        let store = FeedStore(["number": Data("3".utf8)])
        let settings = SettingsService.over(store)
        let (isReached, mayGoOn) = (Box(false), DispatchSemaphore(value: 0))
        // Delivered before the change of the number.
        let subscription = settings.observe(other) { _ in
            store.changeFromOutside([("number", "oops")])
            isReached.value = true
            mayGoOn.wait()
        }
        let read = Recorder<Int>()
        #expect(settings.get(number) == 3)
        let early = isLate ? nil : settings.values(of: number)
        Thread.detachNewThread { store.changeFromOutside([("other", "1"), ("number", "5")]) }
        try await until { isReached.value }
        let values = early ?? settings.values(of: number)
        let reader = Task { for await value in values { read.append(value) } }
        try await until { read.count == 1 }
        mayGoOn.signal()
        try await until { settings.get(number) == 5 }
        #expect(try await eventually { read.all.last == 5 })
        reader.cancel()
        subscription.cancel()
    }

    /// The setting ends before this function returns.
    private func readAndReject(_ settings: SettingsService, _ store: FeedStore) {
        let number = Setting<Int>("number", in: .defaults, default: 7)
        #expect(settings.get(number) == 10)
        store.changeFromOutside([("number", "oops")])
        #expect(settings.get(number) == 10)
    }

    @Test("A value that was stored while no setting had the name replaces an older one")
    func withoutSetting() {
        let store = FeedStore(["number": Data("10".utf8)])
        let settings = SettingsService.over(store)
        readAndReject(settings, store)
        store.changeFromOutside([("number", "5")])
        #expect(settings.get(number) == 5)
        store.changeFromOutside([("number", "oops")])
        settings.update(number) { $0 += 1 }
        #expect(settings.get(number) == 6)
    }
}
