import Foundation
import Observation
import SettingsKitCore
import Testing

/// An edit from outside that leaves something that is no value of the setting.
@Suite("A value that becomes undecodable from outside", .timeLimit(Rounds.timeLimit))
struct UndecodableChangeTests {
    private enum Theme: String, Codable, Sendable { case light, dark }

    private let number = Setting<Int>("number", in: .defaults, default: 7)
    private let theme = Setting<Theme>("theme", in: .defaults, default: .light)

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

    @Test("A setting that is read for the first time after the edit reads as its default, and is diagnosed")
    func neverUsed() {
        let problems = Recorder<SettingsError>()
        let store = FeedStore(["number": Data("3".utf8)])
        let settings = SettingsService.over(store, problems)
        store.changeFromOutside([("number", "oops")])
        #expect(settings.get(number) == 7)
        #expect(problems.count == 1)
    }

    @Test("Listeners skip an undecodable value and receive the next good value as the successor of the last good one")
    func listeners() async {
        let store = FeedStore(["number": Data("3".utf8)])
        let settings = SettingsService.over(store)
        let told = Recorder<String>()
        let tracked = Recorder<Int>()
        let subscription = settings.observe(number) { told.append("\($0.oldValue)-\($0.newValue)") }
        var values = settings.values(of: number).makeAsyncIterator()
        #expect(await values.next() == 3)
        let live = settings.value(number)
        withObservationTracking {
            _ = live.value
        } onChange: {
            tracked.append(live.value)
        }
        store.changeFromOutside([("number", "oops")])
        store.changeFromOutside([("number", "\"oops\"")])
        #expect(told.all.isEmpty && tracked.all.isEmpty)
        store.changeFromOutside([("number", "5")])
        #expect(told.all == ["3-5"])
        #expect(tracked.all == [5])
        #expect(await values.next() == 5)
        subscription.cancel()
    }

    @Test("Group listeners receive the changes of other settings, and none for the undecodable value")
    func groups() {
        let store = FeedStore(["number": Data("3".utf8), "theme": Data("\"dark\"".utf8)])
        let settings = SettingsService.over(store)
        _ = (settings.get(number), settings.get(theme))
        let told = Recorder<Set<String>>()
        let subscription = settings.observe(in: .defaults) { told.append(Set($0.keys.map(\.name))) }
        store.changeFromOutside([("number", "oops")])
        #expect(told.all.isEmpty)
        store.changeFromOutside([("number", "again"), ("theme", "\"light\""), ("unused", "?")])
        store.changeFromOutside([("number", "4")])
        #expect(told.all == [["theme", "unused"], ["number"]])
        subscription.cancel()
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

    @Test("A reader of values gets a value once, however many changes before it are delivered later")
    func noRepetition() async throws {
        let other = Setting<Int>("other", in: .defaults, default: 0)
        let store = FeedStore(["number": Data("0".utf8)])
        let settings = SettingsService.over(store)
        let read = Recorder<Int>()
        let values = settings.values(of: number)
        let reader = Task { for await value in values { read.append(value) } }
        try await until { read.all == [0] }
        let mayGoOn = DispatchSemaphore(value: 0)
        let subscriptions = [
            // All changes of the number wait for this one to be delivered.
            settings.observe(other) { _ in
                for value in 1...100 { store.changeFromOutside([("number", "\(value)")]) }
            },
            settings.observe(number) { if $0.newValue == 1 { mayGoOn.wait() } },
        ]
        Thread.detachNewThread { store.changeFromOutside([("other", "1")]) }
        try await until { read.all.last == 100 }
        mayGoOn.signal()
        let last = Recorder<Int>()
        let subscription = settings.observe(number) { last.append($0.newValue) }
        settings.set(number, to: 101)
        try await until { last.all == [101] && read.all.last == 101 }
        #expect(read.all == [0, 100, 101])
        reader.cancel()
        for subscription in subscriptions + [subscription] { subscription.cancel() }
    }

    @Test("An unknown case of an enumeration is called that, with key and store, and without the value")
    func unknownCase() throws {
        let problems = Recorder<SettingsError>()
        let store = FeedStore(["theme": Data("\"dark\"".utf8)])
        let settings = SettingsService.over(store, problems)
        #expect(settings.get(theme) == .dark)
        store.changeFromOutside([("theme", "\"hunter2\"")])
        #expect(settings.get(theme) == .dark)
        let text = try #require(problems.all.first).description
        #expect(text.contains("The stored value is none of the cases of Theme."))
        #expect(text.contains("\"theme\" in .defaults") && text.contains("Store: FeedStore."))
        #expect(!text.contains("hunter2"))
    }
}
