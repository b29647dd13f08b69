import Foundation
import SettingsKitCore
import Testing

@Suite("Transactions")
struct TransactionTests {
    private let one = Setting<Int>("one", in: .defaults, default: 0)
    private let two = Setting<Double>("two", in: .defaults, default: 0)
    private let three = Setting<String?>("three", in: .defaults)
    private let far = Setting<Int>("far", in: .shared, default: 0)

    private struct BodyFailed: Error {}

    private func scopes(_ isSharedBad: Bool) -> (good: SettingsService.Scope, bad: SettingsService.Scope) {
        isSharedBad ? (.defaults, .shared) : (.shared, .defaults)
    }

    private func number(_ name: String, _ scope: SettingsService.Scope) -> Setting<Int> {
        Setting(name, in: scope, default: 0)
    }

    @Test("Reads inside see the writes inside, and all writes arrive as one change set", arguments: StoreKind.allCases)
    func readYourWrites(kind: StoreKind) {
        let settings = SettingsService.over(kind.make())
        settings.set(one, to: 10)
        let sets = Recorder<SettingsService.ChangeSet>()
        let subscription = settings.observe(in: .defaults) { sets.append($0) }
        let seen = settings.transaction { t -> [Int] in
            var seen = [t.get(one)]
            t.set(one, to: 11)
            seen.append(t.get(one))
            t.update(one) { $0 += 1 }
            seen.append(t[one])
            t.reset(one)
            seen += [t.get(one), t.isSet(one) ? 1 : 0]
            t[one] += 5
            t[two] = 2
            t.set(three, to: "3")
            return seen + [t.isSet(one) ? 1 : 0]
        }
        #expect(seen == [10, 11, 12, 0, 0, 1])
        #expect((settings.get(one), settings.get(two)) == (5, 2) && settings.get(three) == "3")
        #expect(sets.count == 1 && sets.all.first?.keys == [one.key, two.key, three.key])
        #expect(sets.all.first?.origin == .local)
        #expect(sets.all.first?.contains(one) == true && sets.all.first?.contains(far) == false)
        subscription.cancel()
    }

    @Test("A closure that changes what it has read in another transaction ends with an error, not after many runs")
    func inner() throws {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(MemoryStore(), problems)
        var runs = 0
        let result: Void? = settings.update(one) { outer in
            settings.update(one) { inner in
                runs += 1
                inner += 1
            }
            outer += 10
        }
        #expect(result == nil && runs == 2 && settings.get(one) == 2)
        #expect(problems.codes == [.conflict] && problems.all.first?.key == one.key)
        #expect(problems.all.first?.description.contains("in another transaction each time") == true)
        // What the closure changes once, or has not read, is no problem.
        settings.update(one) { outer in
            settings.update(two) { $0 += 1 }
            settings.transaction { $0.set(one, to: 5) }
            outer += 10
        }
        #expect(settings.get(one) == 15 && settings.get(two) == 2 && problems.count == 1)
    }

    @Test("Each setting counts once, in a transaction of a few as of many", arguments: [1, 16, 17, 40])
    func many(count: Int) {
        let settings = SettingsService.over(MemoryStore())
        let all = (0..<count).map { number("number\($0)", .defaults) }
        for (index, setting) in all.enumerated() { settings.set(setting, to: index) }
        let sets = Recorder<SettingsService.ChangeSet>()
        let subscription = settings.observe(in: .defaults) { sets.append($0) }
        let sum = settings.transaction { t in
            for setting in all { t[setting] += 1 }
            for setting in all.reversed() { t.update(setting) { $0 *= 2 } }
            t.reset(all[0])
            return all.reduce(0) { $0 + t.get($1) }
        }
        let expected = (0..<count).map { $0 == 0 ? 0 : ($0 + 1) * 2 }
        #expect(all.map { settings.get($0) } == expected)
        #expect(sum == expected.reduce(0, +))
        #expect(sets.all.map(\.keys) == [Set(all.map(\.key))])
        subscription.cancel()
    }

    @Test("A store of two functions sets values before it removes others")
    func order() {
        let steps = Recorder<String>()
        let settings = SettingsService.over(
            TwoFunctionStore(willSet: { key, data in steps.append("\(data == nil ? "remove" : "set") \(key.name)") }))
        settings.set(one, to: 7)
        let other = number("other", .defaults)
        settings.transaction { t in
            t.set(other, to: t.get(one))
            t.reset(one)
        }
        #expect(steps.all == ["set one", "set other", "remove one"])
        #expect(settings.get(other) == 7 && !settings.isSet(one))
    }

    @Test("A body that throws changes nothing, and its error comes through")
    func bodyThrows() {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(MemoryStore(), problems)
        #expect(throws: BodyFailed.self) {
            try settings.save { t in
                t.set(one, to: 1)
                throw BodyFailed()
            }
        }
        #expect(!settings.isSet(one))
        #expect(problems.all.isEmpty)
    }

    @Test("A store of two functions that fails in the middle is set back")
    func failsInTheMiddle() {
        let store = TwoFunctionStore(willSet: { key, data in
            if key.name == "two" && data != nil { throw StoreBroken() }
        })
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(store, problems)
        settings.set(one, to: 1)
        settings.set(three, to: "old")
        settings.transaction { t in
            t.set(one, to: 2)
            t.set(two, to: 2)
            t.set(three, to: "new")
        }
        #expect(store.contents == ["one": Data("1".utf8), "three": Data("\"old\"".utf8)])
        #expect(settings.get(one) == 1 && problems.codes == [.writeFailed])
    }

    @Test("If one scope fails, the scopes before it stay, and the error names it", arguments: [true, false])
    func oneScopeFails(isFirst: Bool) throws {
        let (good, bad) = scopes(!isFirst)
        let shared = FeedStore(willWrite: { _ in throw StoreBroken() })
        let (one, two, far) = (number("one", good), number("two", good), number("far", bad))
        let settings = SettingsService(stores: [good: MemoryStore(), bad: shared], diagnosticSink: .none)
        settings.set(one, to: 1)
        let error = #expect(throws: SettingsError.self) {
            try settings.save { t in
                t.set(far, to: 2)
                t.set(one, to: 2)
                t.set(two, to: 2)
            }
        }
        #expect(error?.code == .writeFailed && error?.key?.scope == bad)
        #expect(settings.get(one) == (isFirst ? 1 : 2))
        #expect(settings.isSet(two) == !isFirst)
        #expect(shared.stored.isEmpty)
    }

    @Test("A missing store of one scope fails all")
    func missingStore() {
        let settings = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)
        let nowhere = Setting<Int>("n", in: .custom(id: "none"), default: 0)
        let code = thrownCode {
            try settings.save { t in
                t.set(one, to: 9)
                t.set(nowhere, to: 9)
            }
        }
        #expect(code == .noStore && !settings.isSet(one))
    }

    @Test("One store that serves two scopes takes a transaction all or nothing")
    func oneStoreOfTwoScopes() {
        let store = FeedStore(willWrite: { writes in
            if writes.contains(where: { $0.key.name == "far" && $0.data == Data("2".utf8) }) { throw StoreBroken() }
        })
        let settings = SettingsService(stores: [.defaults: store, .shared: store], diagnosticSink: .none)
        for value in [1, 2] {
            settings.transaction { t in
                t.set(one, to: value)
                t.set(far, to: value)
            }
        }
        #expect(settings.get(one) == 1 && settings.get(far) == 1)
    }

    @Test("A store that never answers twice the same ends in a conflict, not in a hang")
    func endlessConflict() {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(NeverMatching(), problems)
        settings.update(one) { $0 += 1 }
        #expect(problems.all.map(\.code) == [.conflict])
    }

    @Test("A change before any scope is written runs the closure again; a later one is a conflict that names the scope")
    func conflictInAnotherScope() {
        let here = Setting<Int>("here", in: .defaults, default: 0)
        let there = Setting<Int>("there", in: .shared, default: 0)
        for isLate in [false, true] {
            let conflict = Box<(@Sendable () -> Void)?>(nil)
            let store = FeedStore(willWrite: { if isLate, !$0.isEmpty { conflict.take(replacingWith: nil)?() } })
            let problems = Recorder<SettingsError>()
            let settings = SettingsService(
                stores: [.defaults: MemoryStore(), .shared: store], diagnosticSink: .init { problems.append($0) })
            conflict.value = { store.changeFromOutside([("there", "10")]) }
            settings.transaction { t in
                t.update(here) { $0 += 1 }
                t.update(there) { $0 += 1 }
                if !isLate { conflict.take(replacingWith: nil)?() }
            }
            #expect(settings.get(here) == 1 && settings.get(there) == (isLate ? 10 : 11))
            #expect(problems.all.map(\.code) == (isLate ? [.conflict] : []))
            if isLate { #expect(problems.all.first?.key?.scope == .shared) }
        }
    }
}

private struct NeverMatching: SettingsStore {
    func get(_ key: SettingsService.StorageKey) -> Data? { nil }
    func set(_ key: SettingsService.StorageKey, to data: Data?) {}
    func apply(_ batch: SettingsStoreBatch) -> Bool { false }
}
