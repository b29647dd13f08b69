import Foundation
import SettingsKitCore
import Testing

@Suite("Changes", .timeLimit(Rounds.timeLimit))
struct ChangesTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private let text = Setting<String>("text", in: .defaults, default: "")

    @Test("A change has the values before and after, its key and its origin", arguments: StoreKind.allCases)
    func contents(kind: StoreKind) async throws {
        let settings = SettingsService.over(kind.make())
        var changes = settings.changes(of: number).makeAsyncIterator()
        settings.set(number, to: 1)
        settings.set(number, to: 2)
        settings.reset(number)
        var seen: [SettingsService.Change<Int>] = []
        for _ in 0..<3 { seen.append(try #require(await changes.next())) }
        #expect(seen.map(\.oldValue) == [0, 1, 2])
        #expect(seen.map(\.newValue) == [1, 2, 0])
        #expect(seen.allSatisfy { $0.key == number.key && $0.origin == .local })
    }

    @Test("An external change publishes only the keys whose bytes changed")
    func external() throws {
        let store = FeedStore(["number": Data("1".utf8), "text": Data("\"a\"".utf8)])
        let settings = SettingsService.over(store)
        let log = Recorder<String>()
        let sets = Recorder<SettingsService.ChangeSet>()
        let subscriptions = [
            settings.observe(number) { log.append("number \($0.oldValue)-\($0.newValue) \($0.origin)") },
            settings.observe(text) { log.append("text \($0.oldValue)-\($0.newValue) \($0.origin)") },
            settings.observe(number, text) { sets.append($0) },
        ]
        #expect(settings.get(number) == 1)
        store.changeFromOutside([("number", "2"), ("text", "\"a\""), ("unknown", "5")])
        store.changeFromOutside([("number", "2"), ("text", "\"a\"")])
        store.changeFromOutside([("text", nil)])
        #expect(log.all == ["number 1-2 external", "text a- external"])
        #expect(sets.all.map(\.keys) == [[number.key], [text.key]])
        #expect(sets.all.allSatisfy { $0.origin == .external })
        #expect(settings.get(number) == 2)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("5,000 changes without a reader are merged: the chain of old and new values holds and ends on the newest")
    func coalescing() async throws {
        let settings = SettingsService.over(MemoryStore())
        let stream = settings.changes(of: number)
        for value in 1...5_000 { settings.set(number, to: value) }
        var iterator = stream.makeAsyncIterator()
        var previous = 0
        var count = 0
        while previous < 5_000 {
            let change = try #require(await iterator.next())
            #expect(change.oldValue == previous)
            previous = change.newValue
            count += 1
        }
        #expect(count <= 1_024)
        settings.set(number, to: -1)
        let last = await iterator.next()
        #expect(last?.oldValue == 5_000 && last?.newValue == -1)
    }

    @Test("A merged change is external as soon as one of its parts was")
    func mergedOrigin() async throws {
        let store = FeedStore()
        let settings = SettingsService.over(store)
        let stream = settings.changes(of: number)
        for value in 1...1_100 { settings.set(number, to: value) }
        store.changeFromOutside([("number", "9999")])
        settings.set(number, to: 10_000)
        var iterator = stream.makeAsyncIterator()
        var last: SettingsService.Change<Int>?
        while let change = await iterator.next() {
            last = change
            if change.newValue == 10_000 { break }
        }
        #expect(last?.origin == .external)
    }

    @Test("Changes made inside one long callback are merged too, and the chain holds")
    func coalescingBehindCallback() async {
        let settings = SettingsService.over(MemoryStore())
        let log = Recorder<[Int]>()
        let record = log.chain()
        // Awaited, not blocked for: a task delivers the rest, and needs one of the few threads that tests run on.
        let (flooded, flood) = AsyncStream<Void>.makeStream()
        let subscription = settings.observe(number) { [number] change in
            record(change)
            if change.newValue == 1 { for value in 2...5_000 { settings.set(number, to: value) } }
            if change.newValue == 5_000 { flood.yield() }
        }
        settings.set(number, to: 1)
        for await _ in flooded { break }
        #expect(log.count <= 1_026)
        log.expectChain(from: 0)
        subscription.cancel()
    }

    @Test("Group listeners are notified once per transaction, with their own keys only")
    func groups() async throws {
        let settings = SettingsService(
            stores: [.defaults: MemoryStore(), .shared: TwoFunctionStore()], diagnosticSink: .none)
        let flag = Setting<Bool>("flag", in: .defaults, default: false)
        let far = Setting<Int>("far", in: .shared, default: 0)
        var pair = settings.changes(of: number, text).makeAsyncIterator()
        var shared = settings.changes(in: .shared).makeAsyncIterator()
        var all = settings.changes().makeAsyncIterator()
        settings.set(flag, to: true)
        settings.transaction { t in
            t.set(number, to: 1)
            t.set(text, to: "x")
            t.set(flag, to: false)
        }
        settings.set(far, to: 1)
        #expect(await pair.next()?.keys == [number.key, text.key])
        #expect(await shared.next()?.keys == [far.key])
        #expect(await all.next()?.keys == [flag.key])
        #expect(await all.next()?.keys == [number.key, text.key, flag.key])
        #expect(await all.next()?.keys == [far.key])
    }
}
