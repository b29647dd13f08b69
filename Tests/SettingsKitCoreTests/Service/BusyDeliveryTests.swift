import Foundation
@testable import SettingsKitCore
import SettingsTestSupport
import Testing

/// Stores whole tens only.
private struct TensTransformer: Transformer {
    func transformValue(_ value: Int) -> Data { Data("\(value / 10 * 10)".utf8) }

    func untransformValue(_ output: Data) throws -> Int {
        guard let value = Int(String(decoding: output, as: UTF8.self)) else { throw StoreBroken() }
        return value
    }
}

/// The changes of a listener wait until it returns. More than `CoreLimits.pendingChanges` of them are merged.
@Suite("Changes while delivery is busy", .timeLimit(Rounds.timeLimit))
struct BusyDeliveryTests {
    private let store = FeedStore(["number": Data("1".utf8)])
    private let number = Setting<Int>("number", in: .defaults, default: 7)
    private let told = Recorder<Int>()

    // MARK: Merged changes

    @Test("A lossy value stays the one that was set, however many changes wait", arguments: [50, 150, 1_500])
    func lossyValue(count: Int) async throws {
        let settings = SettingsService.over(store)
        let lossy = Setting<Int>("number", in: .defaults, default: 7, transformer: TensTransformer())
        let subscription = settings.observe(lossy) { [told] in told.append($0.newValue) }
        let last = count * 10 + 3
        settings.whileDelivering {
            for value in 1...count { settings.set(lossy, to: value * 10 + 3) }
            #expect(settings.get(lossy) == last)
        }
        try await until { told.all.last == last }
        #expect(settings.get(lossy) == last)
        subscription.cancel()
    }

    @Test("A bad edit after merged changes leaves the last value that was set", arguments: [true, false])
    func setValues(areRead: Bool) async throws {
        let settings = SettingsService.over(store)
        let subscription = settings.observe(number) { [told] in told.append($0.newValue) }
        settings.whileDelivering { [store, number] in
            for value in 10...1_200 {
                settings.set(number, to: value)
                if areRead, value % 50 == 0 { #expect(settings.get(number) == value) }
            }
            store.changeFromOutside([("number", "oops")])
            for _ in 0..<30 { #expect(settings.get(number) == 1_200) }
        }
        try await until { told.all.last == 1_200 }
        #expect(settings.get(number) == 1_200 && SettingsService.over(store).get(number) == 1_200)
        subscription.cancel()
    }

    @Test("A bad edit after merged external changes leaves the value that was read before it")
    func externalValues() async throws {
        let settings = SettingsService.over(store)
        let subscription = settings.observe(number) { [told] in told.append($0.newValue) }
        settings.whileDelivering { [store, number] in
            for value in 10...1_100 {
                store.changeFromOutside([("number", "\(value)")])
                if value % 50 == 0 { #expect(settings.get(number) == value) }
            }
            #expect(settings.get(number) == 1_100)
            store.changeFromOutside([("number", "oops")])
            #expect(settings.get(number) == 1_100)
        }
        try await until { told.all.last == 1_100 }
        #expect(settings.get(number) == 1_100)
        subscription.cancel()
    }

    @Test("A bad edit of one layer leaves the layer's last good value when another layer changes, too")
    func layers() async throws {
        let (top, own) = (FeedStore(), FeedStore())
        let layered = try LayeredStore([.locked(top, name: "top"), .writable(own)])
        let settings = SettingsService.over(layered)
        settings.set(number, to: 3)
        top.changeFromOutside([("number", "50")])
        #expect(settings.get(number) == 50)
        let subscription = settings.observe(number) { [told] in told.append($0.newValue) }
        settings.whileDelivering { [number] in
            for value in 100..<1_200 { top.changeFromOutside([("number", "\(value)")]) }
            top.changeFromOutside([("number", "oops")])
            #expect(throws: Never.self) { try own.set(number.key, to: Data("4".utf8)) }
        }
        #expect(settings.get(number) == 1_199)
        try await until { told.all.last == 1_199 }
        #expect(settings.get(number) == 1_199 && SettingsService.over(layered).get(number) == 1_199)
        subscription.cancel()
    }

    @Test("A bad edit back to the bytes before merged changes leaves the last value that was set")
    func sameBytes() {
        let settings = SettingsService.over(store)
        let port = Setting<Int>("number", in: .defaults, default: 77, validation: .range(10...99))
        settings.mergeChanges(beyond: 1)
        let subscription = settings.observe(port) { [told] in told.append($0.newValue) }
        settings.whileDelivering { [store, port] in
            for value in [20, 30] { settings.set(port, to: value) }
            store.changeFromOutside([("number", "1")])
            #expect(settings.get(port) == 30)
        }
        #expect(settings.get(port) == 30 && told.all == [30])
        subscription.cancel()
    }

    @Test("A bad edit after merged changes does not bring back a value from before one that was set")
    func rejectedSet() {
        let settings = SettingsService.over(store)
        let port = Setting<Int>("number", in: .defaults, default: 77, validation: .range(10...99))
        settings.set(port, to: 20)
        settings.mergeChanges(beyond: 1)
        let subscription = settings.observe(port) { [told] in told.append($0.newValue) }
        settings.whileDelivering { [store, number] in
            for value in [30, 2] { settings.set(number, to: value) }
            store.changeFromOutside([("number", "3")])
        }
        #expect(settings.get(port) == 77 && told.all == [77])
        subscription.cancel()
    }

    @Test("A listener that begins while changes wait receives none of those before it")
    func lateListener() {
        let settings = SettingsService.over(store)
        settings.mergeChanges(beyond: 1)
        let changes = Recorder<String>()
        let subscriptions = Recorder<SettingsService.Subscription>()
        subscriptions.append(settings.observe(number) { [told] in told.append($0.newValue) })
        settings.whileDelivering { [number] in
            for value in [2, 3] { settings.set(number, to: value) }
            subscriptions.append(settings.observe(number) { changes.append("\($0.oldValue)-\($0.newValue)") })
            for value in [4, 5] { settings.set(number, to: value) }
        }
        #expect(told.all == [3, 5] && changes.all == ["3-5"])
        for subscription in subscriptions.all { subscription.cancel() }
    }

    // MARK: Bad edits

    @Test("Bad edits leave the last good value, however many of them wait", arguments: [5, 20, 150])
    func manyBadEdits(count: Int) {
        let settings = SettingsService.over(store)
        #expect(settings.get(number) == 1)
        store.changeFromOutside([("number", "2")])
        settings.whileDelivering { [store, number] in
            for edit in 1...count { store.changeFromOutside([("number", "oops \(edit)")]) }
            #expect(settings.get(number) == 2)
        }
        #expect(settings.get(number) == 2 && SettingsService.over(store).get(number) == 2)
        settings.update(number) { $0 += 1 }
        #expect(settings.get(number) == 3)
    }

    @Test("Bad edits of a large value leave the last good value")
    func largeValue() {
        let settings = SettingsService.over(store)
        let text = Setting<String>("text", in: .defaults, default: "")
        let good = String(repeating: "g", count: 40_000)
        settings.set(text, to: good)
        #expect(settings.get(text) == good)
        settings.whileDelivering { [store] in
            for edit in 1...2 { store.changeFromOutside([("text", "\(String(repeating: "b", count: 40_000))\(edit)")]) }
        }
        #expect(settings.get(text) == good && SettingsService.over(store).get(text) == good)
    }

    // MARK: Replaced stores

    @Test("A replacement is in force after more changes than can wait", arguments: [500, 1_100])
    func replacement(count: Int) async throws {
        let settings = SettingsService.over(store)
        let subscription = settings.observe(number) { [told] in told.append($0.newValue) }
        settings.whileDelivering { [number] in
            for value in 10..<(count + 10) { settings.set(number, to: value) }
            settings.register(FeedStore(["number": Data("5".utf8)]), for: .defaults)
            for _ in 0..<30 { #expect(settings.get(number) == 5) }
        }
        try await until { told.all.last == 5 }
        #expect(settings.get(number) == 5)
        subscription.cancel()
    }

    @Test("The number of changes that wait stays bounded while stores are replaced")
    func boundedChanges() {
        let settings = SettingsService.over(store)
        let other = FeedStore(["number": Data("5".utf8)])
        let subscription = settings.observe(number) { _ in }
        settings.whileDelivering { [store, number] in
            for round in 0..<2_000 {
                settings.register(round % 2 == 0 ? other : store, for: .defaults)
                #expect(settings.get(number) == (round % 2 == 0 ? 5 : 1))
            }
            let counts = settings.connections[.defaults].state.withLock { $0.settings.listenedTo.map(\.changes.count) }
            #expect(counts.allSatisfy { $0 <= CoreLimits.pendingChanges + 1 })
        }
        subscription.cancel()
    }

    @Test("A listener to a record receives the last record after merged changes and replaced stores")
    func record() async throws {
        let settings = SettingsService.over(store)
        let record = try SettingsStorage<Row>(name: "row", in: settings)
        let subscription = record.observe { [told] in told.append($0.x) }
        settings.whileDelivering { [store] in
            for value in 10...1_300 { record.set(\.x, to: value) }
            settings.register(FeedStore(["row:x": Data("77".utf8)]), for: .defaults)
            #expect(record.get().x == 77)
            for value in 2_000...3_300 { record.set(\.x, to: value) }
            settings.register(store, for: .defaults)
            #expect(record.get().x == 1_300)
            for value in 5_000...6_300 { store.changeFromOutside([("row:x", "\(value)")]) }
            #expect(record.get().x == 6_300)
        }
        try await until { told.all.last == 6_300 }
        #expect(record.get().x == 6_300)
        subscription.cancel()
    }

    // MARK: Groups

    /// What a listener to a scope receives of one external commit, during which a listener to `a` runs `body`.
    private func sets(
        of commit: [(String, String?)], _ settings: SettingsService, _ body: @escaping @Sendable () -> Void
    ) -> [String] {
        let sets = Recorder<String>()
        let subscriptions = [
            settings.observe(in: .defaults) { sets.append("\($0.origin) \($0.keys.map(\.name).sorted())") },
            settings.observe(Setting<Int>("a", in: .defaults, default: 0)) { _ in body() },
        ]
        store.changeFromOutside(commit)
        for subscription in subscriptions { subscription.cancel() }
        return sets.all
    }

    @Test("A listener to a scope receives a changed key whose setting is first read by another listener")
    func firstRead() {
        let settings = SettingsService.over(store)
        let sets = sets(of: [("a", "5"), ("number", "6")], settings) { [number] in _ = settings.get(number) }
        #expect(sets == [#"external ["a", "number"]"#])
    }

    @Test("A listener to a scope receives a key that a later one of merged commits has changed")
    func mergedSets() {
        let settings = SettingsService.over(store)
        #expect(settings.get(number) == 1)
        settings.mergeChanges(beyond: 1)
        let sets = sets(of: [("number", "oops"), ("a", "5")], settings) { [number] in settings.set(number, to: 9) }
        #expect(sets == [#"external ["a", "number"]"#])
    }

    @Test("A listener to a scope does not receive a rejected key that another listener sets", arguments: [true, false])
    func rejectedKey(isFirst: Bool) {
        let settings = SettingsService.over(store)
        #expect(settings.get(number) == 1)
        let commit = isFirst ? [("number", "oops"), ("a", "5")] : [("a", "5"), ("number", "oops")]
        let sets = sets(of: commit, settings) { [number] in settings.set(number, to: 9) }
        #expect(sets == [#"external ["a"]"#, #"local ["number"]"#])
    }
}

@Suite("The last good value of a name", .timeLimit(Rounds.timeLimit))
struct NamedLastGoodValueTests {
    private let store = FeedStore(["number": Data("1".utf8)])

    private func number() -> Setting<Int> { Setting<Int>("number", in: .defaults, default: 7) }

    /// Checks that 5 is in force for every service, and that updates begin with it.
    private func expectFive(_ number: Setting<Int>, _ settings: SettingsService) {
        #expect(settings.get(number) == 5 && SettingsService.over(store).get(number) == 5)
        settings.update(number) { $0 += 1 }
        #expect(settings.get(number) == 6)
    }

    @Test("A setting of another type that rejects the value does not discard it")
    func otherType() {
        let settings = SettingsService.over(store)
        let (number, list) = (number(), Setting<[String]>("number", in: .defaults, default: []))
        #expect(settings.get(number) == 1 && settings.get(list) == [])
        store.changeFromOutside([("number", "5")])
        for edit in 0..<10 { store.changeFromOutside([("number", "oops \(edit)")]) }
        expectFive(number, settings)
    }

    @Test("A value that was stored while no setting had the name replaces an older one")
    func withoutSetting() {
        let settings = SettingsService.over(store)
        readAndReject(settings)
        store.changeFromOutside([("number", "5")])
        let number = number()
        #expect(settings.get(number) == 5)
        store.changeFromOutside([("number", "oops")])
        expectFive(number, settings)
    }

    /// The setting ends before this function returns.
    private func readAndReject(_ settings: SettingsService) {
        let number = number()
        #expect(settings.get(number) == 1)
        store.changeFromOutside([("number", "oops")])
        #expect(settings.get(number) == 1)
    }
}
