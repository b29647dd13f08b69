import Foundation
import SettingsKitCore
import Testing

@Suite("The values of a record, and its listeners", .timeLimit(Rounds.timeLimit))
struct RecordValuesTests {
    @Test(
        "The values of a record and of a field are the current one first, then the newest",
        arguments: StoreKind.allCases)
    func currentFirst(kind: StoreKind) async throws {
        let record = try SettingsStorage<Parameters>(name: "network", in: kind.make())
        record.attempts = 4
        let stream = record.values
        var (records, attempts) = (stream.makeAsyncIterator(), record.values(of: \.attempts).makeAsyncIterator())
        #expect(await records.next() == Parameters(attempts: 4))
        #expect(await attempts.next() == 4)
        record.isDetailed = true
        #expect(await records.next() == Parameters(isDetailed: true, attempts: 4))
        for attempts in 5...300 { record.attempts = attempts }
        record.isDetailed = false
        #expect(await records.next() == Parameters(attempts: 300))
        #expect(await attempts.next() == 300)
        record.reset()
        #expect(await records.next() == .empty)
        #expect(await attempts.next() == 3)
        // A second loop begins with the current record, too.
        record.attempts = 1
        var others = stream.makeAsyncIterator()
        #expect(await others.next() == Parameters(attempts: 1))
    }

    @Test("Fields that are changed together come as one record, once", arguments: StoreKind.allCases)
    func batches(kind: StoreKind) async throws {
        let settings = SettingsService.over(kind.make())
        let record = try SettingsStorage<Pair>(name: "pair", in: settings)
        let heard = Recorder<Int>()
        let subscription = record.observe { record in
            #expect(record.agrees)
            heard.append(record.left)
        }
        var records = record.values.makeAsyncIterator()
        #expect(await records.next() == .empty)
        for number in 1...20 {
            if number.isMultiple(of: 2) {
                record.update { $0.become(number) }
            } else {
                settings.transaction { Pair.set(number, in: &$0) }
            }
            let next = try #require(await records.next())
            #expect(next.agrees && next.left == number)
        }
        record.reset()
        #expect(await records.next() == .empty)
        #expect(heard.all == Array(1...20) + [0])
        subscription.cancel()
        record.update { $0.become(9) }
        #expect(heard.count == 21)
    }

    @Test("A listener to a field is notified of that field only, once for each value", arguments: StoreKind.allCases)
    func fieldListener(kind: StoreKind) throws {
        let record = try SettingsStorage<Parameters>(name: "network", in: kind.make())
        let (attempts, computed) = (Recorder<Int>(), Recorder<Int>())
        let subscriptions = [
            record.observe(\.attempts) { attempts.append($0) },
            record.observe(\.attemptsIfDetailed) { computed.append($0) },
        ]
        record.isDetailed = true
        record.attempts = 4
        record.apiURL = URL(string: "https://example.org")
        record.isDetailed = false
        record.attempts = 3
        record.reset()
        #expect(attempts.all == [4, 3] && computed.all == [3, 4, 0])
        subscriptions[0].cancel()
        record.update { $0 = Parameters(isDetailed: true, attempts: 9) }
        #expect(attempts.all == [4, 3] && computed.all == [3, 4, 0, 9])
    }

    @Test("Every change of a field comes with its old value and its origin")
    func changes() async throws {
        let feed = FeedStore()
        let record = try SettingsStorage<Parameters>(name: "network", in: SettingsService.over(feed))
        var changes = record.changes(of: \.attempts).makeAsyncIterator()
        record.attempts = 1
        record.isDetailed = true
        feed.changeFromOutside([("network:attempts", "2"), ("network:limit", "1")])
        record.reset(\.attempts)
        for (old, new, origin) in [(3, 1, SettingsService.Origin.local), (1, 2, .external), (2, 3, .local)] {
            let change = try #require(await changes.next())
            #expect((change.oldValue, change.newValue) == (old, new) && change.origin == origin)
        }
    }

    @Test("Changes of other storages, of services and from outside are heard, those of other records are not")
    func everySource() async throws {
        let store = FeedStore()
        let settings = SettingsService.over(store)
        let record = try SettingsStorage<Parameters>(name: "network", in: settings)
        let other = try SettingsStorage<Parameters>(name: "network", in: store)
        let stranger = try SettingsStorage<Parameters>(name: "stranger", in: settings)
        var records = record.values.makeAsyncIterator()
        #expect(await records.next() == .empty)
        stranger.attempts = 99
        other.attempts = 4
        #expect(await records.next() == Parameters(attempts: 4))
        stranger.attempts = 98
        store.changeFromOutside([("network:later", "1")])
        settings.set(Setting<Int?>("network:limit", in: .defaults, default: 0), to: nil)
        #expect(await records.next() == Parameters(attempts: 4, limit: nil))
        store.changeFromOutside([("network:attempts", "5"), ("network:isDetailed", "true")])
        #expect(await records.next() == Parameters(isDetailed: true, attempts: 5, limit: nil))
        // The last good value stays in force, and nothing is heard.
        store.changeFromOutside([("network:attempts", "\"garbage\"")])
        #expect(record.get() == Parameters(isDetailed: true, attempts: 5, limit: nil))
        settings.reset(scope: .defaults)
        #expect(await records.next() == .empty)
        settings.register(MemoryStore(["network:attempts": "6", "network:limit": "7"]), for: .defaults)
        #expect(await records.next() == Parameters(attempts: 6, limit: 7))
    }

    @Test("A released record leaves nothing in memory, even if it had listeners")
    func release() async throws {
        final class Sentinel: Sendable {}
        struct Holding: SettingsRecord {
            static let sentinels = Recorder<Weak>()
            struct Weak: Sendable { weak let object: Sentinel? }

            var number = 0
            var sentinel: Sentinel?
            static let empty = Holding()

            private enum CodingKeys: CodingKey { case number }
            init() {}
            init(from decoder: any Decoder) throws {
                number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
                let sentinel = Sentinel()
                Self.sentinels.append(Weak(object: sentinel))
                self.sentinel = sentinel
            }
        }
        let settings = SettingsService.over(MemoryStore())
        for round in 1...10 {
            let record = try SettingsStorage<Holding>(name: "h", in: settings)
            var records = record.values.makeAsyncIterator()
            record.number += round
            #expect(await records.next()?.number == record.number)
            record.reset()
        }
        #expect(Holding.sentinels.count > 10)
        #expect(Holding.sentinels.all.allSatisfy { $0.object == nil })
    }
}
