import Foundation
import SettingsKitCore
import Testing

@Suite("The values of a record, and its listeners", .timeLimit(Rounds.timeLimit))
struct RecordValuesTests {
    @Test("The current record comes first, then the newest", arguments: StoreKind.allCases)
    func currentFirst(kind: StoreKind) async throws {
        let record = try SettingsStorage<Parameters>(name: "network", in: kind.make())
        record.attempts = 4
        let stream = record.values
        var records = stream.makeAsyncIterator()
        #expect(await records.next() == Parameters(attempts: 4))
        record.isDetailed = true
        #expect(await records.next() == Parameters(isDetailed: true, attempts: 4))
        for attempts in 5...300 { record.attempts = attempts }
        #expect(await records.next() == Parameters(isDetailed: true, attempts: 300))
        record.reset()
        #expect(await records.next() == .empty)
        // A second loop begins with the current record, too.
        record.attempts = 1
        var others = stream.makeAsyncIterator()
        #expect(await others.next() == Parameters(attempts: 1))
    }

    @Test("What is changed together comes as one record", arguments: StoreKind.allCases)
    func batches(kind: StoreKind) async throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let record = try SettingsStorage<Pair>(name: "pair", in: settings)
        let stream = record.values
        let (left, right) = (
            Setting<Int>("pair:left", in: .defaults, default: 0), Setting<Int>("pair:right", in: .defaults, default: 0)
        )
        let label = Setting<String>("pair:label", in: .defaults, default: "none")
        var records = stream.makeAsyncIterator()
        #expect(await records.next() == .empty)
        for number in 1...20 {
            if number.isMultiple(of: 2) {
                record.update { $0.become(number) }
            } else {
                settings.transaction { t in
                    t.set(left, to: number)
                    t.set(right, to: number)
                    t.set(label, to: "number \(number)")
                }
            }
            let next = try #require(await records.next())
            #expect(next.agrees && next.left == number)
        }
        // Nothing is left: the next element is that of the next change.
        record.left = 100
        #expect(await records.next()?.left == 100)
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

    @Test("The values of a field are its newest ones, without those of other fields", arguments: StoreKind.allCases)
    func fieldValues(kind: StoreKind) async throws {
        let record = try SettingsStorage<Parameters>(name: "network", in: kind.make())
        let stream = record.values(of: \.attempts)
        var values = stream.makeAsyncIterator()
        #expect(await values.next() == 3)
        record.isDetailed = true
        record.attempts = 4
        #expect(await values.next() == 4)
        for attempts in 5...100 { record.attempts = attempts }
        record.isDetailed = false
        #expect(await values.next() == 100)
        record.isDetailed = true
        record.attempts = 7
        #expect(await values.next() == 7)
        var others = stream.makeAsyncIterator()
        #expect(await others.next() == 7)
    }

    @Test("Changes of other storages, of services and from outside are heard, those of other records are not")
    func everySource() async throws {
        let store = FeedStore()
        let settings = SettingsService.over(store)
        let record = try SettingsStorage<Parameters>(name: "network", in: store)
        let other = try SettingsStorage<Parameters>(name: "network", in: settings)
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
        // The last good value stays in force.
        store.changeFromOutside([("network:attempts", "\"garbage\"")])
        #expect(await records.next() == Parameters(isDetailed: true, attempts: 5, limit: nil))
        settings.reset(scope: .defaults)
        #expect(await records.next() == .empty)
    }

    @Test("Going over to another store is heard")
    func register() async throws {
        let settings = SettingsService.over(MemoryStore())
        let record = try SettingsStorage<Parameters>(name: "network", in: settings)
        var records = record.values.makeAsyncIterator()
        #expect(await records.next() == .empty)
        settings.register(
            MemoryStore(["network:attempts": Data("6".utf8), "network:limit": Data("7".utf8)]), for: .defaults)
        #expect(await records.next() == Parameters(attempts: 6, limit: 7))
    }

    @Test("It ends when its task is cancelled, and outlives the storage that it came from")
    func cancellation() async throws {
        let store = MemoryStore()
        let stream = try SettingsStorage<Parameters>(name: "network", in: store).values
        let (started, start) = AsyncStream<Int>.makeStream()
        let task = Task {
            var count = 0
            for await record in stream {
                count += 1
                start.yield(record.attempts)
            }
            return count
        }
        var seen = started.makeAsyncIterator()
        #expect(await seen.next() == 3)
        try SettingsStorage<Parameters>(name: "network", in: store).attempts = 8
        #expect(await seen.next() == 8)
        task.cancel()
        #expect(await task.value == 2)
    }

    @Test("Fields that are asked for later only are listened to, too")
    func laterFields() async throws {
        struct Conditional: SettingsRecord, Equatable {
            var isOn = false
            var detail = 0
            static let empty = Conditional()

            func save(into row: inout SettingsRow) {
                row["isOn"] = isOn
                row["detail"] = detail
            }

            static func load(from row: SettingsRow) -> Conditional {
                guard row["isOn"] == true else { return empty }
                return Conditional(isOn: true, detail: row["detail"] ?? 0)
            }
        }
        let store = MemoryStore()
        let record = try SettingsStorage<Conditional>(name: "c", in: store)
        var records = record.values.makeAsyncIterator()
        #expect(await records.next() == .empty)
        try store.set("c:isOn", "true")
        #expect(await records.next() == Conditional(isOn: true))
        try store.set("c:detail", "5")
        #expect(await records.next() == Conditional(isOn: true, detail: 5))
    }

    @Test(
        "A listener is called once for the fields of one change, with the record as it is then",
        arguments: StoreKind.allCases)
    func observe(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let record = try SettingsStorage<Pair>(name: "pair", in: settings)
        let heard = Recorder<Int>()
        let subscription = record.observe { record in
            #expect(record.agrees)
            heard.append(record.left)
        }
        #expect(record.get() == .empty)
        for number in 1...5 { record.update { $0.become(number) } }
        record.reset()
        #expect(heard.all == [1, 2, 3, 4, 5, 0])
        subscription.cancel()
        record.update { $0.become(9) }
        #expect(heard.count == 6)
    }
}
