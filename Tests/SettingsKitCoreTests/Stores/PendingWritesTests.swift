import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Writes that a store cannot store yet", .timeLimit(Rounds.timeLimit))
struct PendingWritesTests {
    private let store = LockableStore()
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private let other = Setting<Int>("other", in: .defaults, default: 0)

    private func service(_ problems: Recorder<SettingsError>? = nil) -> SettingsService {
        SettingsService(stores: [.defaults: store], diagnosticSink: .init { problems?.append($0) })
    }

    @Test("They are in force at once, and stored in the background when the store is free, which is reported once")
    func inForce() throws {
        let problems = Recorder<SettingsError>()
        let settings = service(problems)
        settings.set(number, to: 1)
        store.isLocked.value = true
        let told = Recorder<String>()
        let subscription = settings.observe(number, told.listener())
        settings.set(number, to: 2)
        settings.set(number, to: 3)
        settings.set(other, to: 4)
        #expect(settings.get(number) == 3 && settings.get(other) == 4)
        #expect(store.storedText("number") == "1" && store.storedText("other") == nil)
        #expect(Set(try store.keys()) == ["number", "other"])
        store.runBackground()
        #expect(store.storedText("number") == "1")
        store.isLocked.value = false
        store.runBackground()
        #expect(store.storedText("number") == "3" && store.storedText("other") == "4")
        #expect(store.pending.isEmpty && told.all == ["1-2", "2-3"])
        #expect(problems.all.map(\.code) == [.pending, .pending, .recovered])
        #expect(problems.all.map { $0.key?.name } == ["number", "other", nil])
        // Nothing is left to attempt.
        #expect(store.backgroundCount == 0)
        subscription.cancel()
    }

    @Test("They are reported again when the store is locked again")
    func reportedAgain() {
        let problems = Recorder<SettingsError>()
        let settings = service(problems)
        for value in 1...2 {
            store.isLocked.value = true
            settings.set(number, to: value)
            store.isLocked.value = false
            store.runBackground()
        }
        #expect(problems.all.map(\.code) == [.pending, .recovered, .pending, .recovered])
    }

    @Test("They follow what others store, hide it, and are stored over it")
    func others() {
        let settings = service()
        store.isLocked.value = true
        settings.set(number, to: 2)
        let told = Recorder<String>()
        let subscriptions = [settings.observe(number, told.listener()), settings.observe(other, told.listener())]
        store.changeFromOutside("number", "7")
        store.changeFromOutside("other", "8")
        #expect(settings.get(number) == 2 && settings.get(other) == 8)
        store.isLocked.value = false
        store.runBackground()
        #expect(store.storedText("number") == "2" && told.all == ["0-8 external"])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("A change by others right after a write was stored is delivered, as external")
    func changedAfterStoring() {
        let settings = service()
        store.isLocked.value = true
        settings.set(number, to: 2)
        let told = Recorder<String>()
        let subscription = settings.observe(number, told.listener())
        store.isLocked.value = false
        store.didStore.value = { [store] in store.changeFromOutside("number", "9") }
        store.runBackground()
        #expect(settings.get(number) == 9 && told.all == ["2-9 external"])
        subscription.cancel()
    }

    @Test("A write that was just stored is not stored again over a later change by others")
    func storedOnce() {
        let settings = service()
        store.isLocked.value = true
        settings.set(number, to: 2)
        store.isLocked.value = false
        store.didStore.value = { [store, other] in
            store.changeFromOutside("number", "9")
            // As another thread, which stores what is pending first.
            settings.set(other, to: 1)
        }
        store.runBackground()
        #expect(store.storedText("number") == "9" && settings.get(number) == 9 && settings.get(other) == 1)
    }

    @Test("A write that is repeated while it is being stored stays pending, also with the same bytes")
    func repeated() throws {
        let settings = service()
        store.isLocked.value = true
        settings.set(number, to: 1)
        store.isLocked.value = false
        store.didStore.value = { [store, number] in
            store.isLocked.value = true
            settings.set(number, to: 2)
            settings.set(number, to: 1)
        }
        #expect(throws: Never.self) { try store.storePending(waiting: .zero) }
        #expect(!store.pending.isEmpty && settings.get(number) == 1)
        store.changeFromOutside("number", "2")
        #expect(settings.get(number) == 1)
        store.isLocked.value = false
        try store.storePending(waiting: .zero)
        #expect(store.pending.isEmpty && store.storedText("number") == "1")
    }

    @Test("What depends on stored values stores them first, or is refused as busy")
    func dependent() throws {
        let settings = service()
        settings.set(number, to: 1)
        store.isLocked.value = true
        settings.set(number, to: 5)
        #expect(thrownCode { try settings.save { $0.update(number) { $0 += 1 } } } == .busy)
        #expect(settings.get(number) == 5)
        store.isLocked.value = false
        try settings.save { $0.update(number) { $0 += 1 } }
        #expect(settings.get(number) == 6 && store.storedText("number") == "6" && store.pending.isEmpty)
    }

    @Test("A change that depends on stored values follows a write that becomes pending while it waits for the lock")
    func keptMeanwhile() {
        let settings = service()
        settings.set(number, to: 1)
        let told = Recorder<String>()
        let subscriptions = [settings.observe(number, told.listener()), settings.observe(other, told.listener())]
        store.willStore.value = { [store, number] in
            store.isLocked.value = true
            settings.set(number, to: 0)
            store.isLocked.value = false
        }
        settings.transaction { values in
            if values.get(number) == 1 { values.set(other, to: 1) }
        }
        #expect(settings.get(number) == 0 && settings.get(other) == 0 && told.all == ["1-0"])
        #expect(store.pending.isEmpty)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("A write that others have stored, too, is not stored again over their later change")
    func storedByOthers() {
        let settings = service()
        store.isLocked.value = true
        settings.set(number, to: 2)
        settings.set(other, to: 1)
        store.changeFromOutside("number", "2")
        store.isLocked.value = false
        store.didStore.value = { [store] in
            store.changeFromOutside("number", "9")
            // As another thread, which stores what is pending first.
            #expect(throws: Never.self) { try store.storePending(waiting: .zero) }
        }
        store.runBackground()
        #expect(store.storedText("number") == "9" && settings.get(number) == 9 && settings.get(other) == 1)
    }

    @Test("The names are listed while writes never stop")
    func listedWhileWriting() {
        service().set(number, to: 1)
        store.isLocked.value = true
        service().set(other, to: 1)
        let rounds = Box(0)
        let names = store.pending.names {
            ["number"]
        } in: { [store] names in
            rounds.value += 1
            if rounds.value < 100 { store.changeFromOutside("number", "\(rounds.value + 1)") }
            return names
        }
        #expect(Set(names) == ["number", "other"] && rounds.value == 1)
    }

    @Test("Reading transactions see them and the stored values at one moment")
    func questions() throws {
        let settings = service()
        settings.set(other, to: 3)
        store.isLocked.value = true
        settings.set(number, to: 5)
        // The store changes while the answer is looked for.
        store.willHold.value = { [store] in store.changeFromOutside("other", "4") }
        let expected = [("number", "5"), ("other", "4")].map {
            SettingsStoreBatch.Entry(key: .init($0.0, scope: .defaults), data: Data($0.1.utf8))
        }
        let question = SettingsStoreBatch(
            writes: [], expectations: expected, options: .ofQuestion)
        #expect(try store.apply(question))
        store.changeFromOutside("number", "4")
        #expect(try store.apply(question))
        store.changeFromOutside("other", "5")
        #expect(try !store.apply(question))
        let (first, second) = try #require(settings.transaction { ($0.get(number), $0.get(other)) })
        #expect(first == 5 && second == 5)
    }

    @Test("They are not reported as stored before they were reported as pending")
    func orderOfReports() {
        let problems = Recorder<SettingsError>()
        let settings = service(problems)
        store.isLocked.value = true
        let subscription = settings.observe(number) { [store] _ in
            store.isLocked.value = false
            #expect(throws: Never.self) { try store.storePending(waiting: .zero) }
        }
        settings.set(number, to: 2)
        #expect(problems.all.map(\.code) == [.pending, .recovered])
        subscription.cancel()
    }

    @Test("A recovery that fails midway stores and refuses nothing twice")
    func recoveryMidway() throws {
        let stand = RecoveringStore(
            reason: SettingsError(.storeUnavailable), description: "a stand-in",
            timing: .init(.init(schedule: { _, _ in }), wait: { _ in }, pauseBetweenUses: .seconds(3_600)),
            open: { [store] in store })
        let problems = Recorder<SettingsError>()
        let settings = SettingsService(stores: [.defaults: stand], diagnosticSink: .init { problems.append($0) })
        let third = Setting<Int>("third", in: .defaults, default: 0)
        settings.set(number, to: 1)
        settings.set(third, to: 3)
        store.refused.value = ["third"]
        store.didStore.value = { [store, other] in
            settings.set(other, to: 2)
            store.failure.value = SettingsError(.writeFailed)
        }
        #expect(stand.tryNow()?.code == .writeFailed)
        #expect(settings.get(number) == 1 && settings.get(other) == 2)
        store.changeFromOutside("number", "9")
        store.failure.value = nil
        #expect(stand.tryNow() == nil)
        #expect(store.storedText("number") == "9" && store.storedText("other") == "2")
        #expect(settings.get(number) == 9 && settings.get(other) == 2 && settings.get(third) == 0)
        #expect(problems.all.count { $0.code == .tooLarge } == 1)
    }

    @Test("A removal hides the stored value, and its name")
    func removal() throws {
        let settings = service()
        settings.set(number, to: 1)
        store.isLocked.value = true
        settings.reset(number)
        #expect(settings.get(number) == 0 && store.storedText("number") == "1")
        #expect(try store.keys().isEmpty)
        store.isLocked.value = false
        store.runBackground()
        #expect(store.storedText("number") == nil)
    }

    @Test(
        "Of several, those that the store refuses are given up and reported, and read as before; the others are stored")
    func refused() throws {
        let problems = Recorder<SettingsError>()
        let settings = service(problems)
        settings.set(number, to: 1)
        store.isLocked.value = true
        settings.set(number, to: 2)
        settings.set(other, to: 3)
        store.refused.value = ["number"]
        store.isLocked.value = false
        store.runBackground()
        #expect(settings.get(number) == 1 && settings.get(other) == 3 && store.storedText("other") == "3")
        #expect(problems.all.map(\.code) == [.pending, .pending, .tooLarge, .recovered])
        #expect(problems.all[2].key?.name == "number")
    }

    @Test("After a failure of the store they stay pending, which is reported once until they are stored")
    func failing() throws {
        let problems = Recorder<SettingsError>()
        let settings = service(problems)
        store.isLocked.value = true
        settings.set(number, to: 2)
        store.isLocked.value = false
        store.failure.value = SettingsError(.writeFailed)
        for _ in 0..<3 { store.runBackground() }
        #expect(settings.get(number) == 2 && store.storedText("number") == nil)
        #expect(thrownCode { try settings.save(other, to: 1) } == .writeFailed)
        store.failure.value = nil
        store.runBackground()
        #expect(store.storedText("number") == "2")
        #expect(problems.all.map(\.code) == [.pending, .writeFailed, .recovered])
    }

    @Test("If the store is gone, they are given up with one report")
    func lost() {
        let problems = Recorder<SettingsError>()
        let settings = service(problems)
        store.isLocked.value = true
        settings.set(number, to: 2)
        settings.set(other, to: 3)
        store.isLocked.value = false
        store.failure.value = SettingsError(.damaged)
        store.runBackground()
        #expect(settings.get(number) == 0 && settings.get(other) == 0 && store.pending.isEmpty)
        #expect(problems.all.map(\.code) == [.pending, .pending, .damaged, .recovered])
    }

    @Test("The child of a fork gives up those of its parent")
    func fork() throws {
        let problems = Recorder<SettingsError>()
        let settings = service(problems)
        settings.set(number, to: 1)
        store.isLocked.value = true
        settings.set(number, to: 2)
        store.forkCount.value += 1
        store.isLocked.value = false
        let told = Recorder<String>()
        let subscription = settings.observe(number, told.listener())
        try store.storePending(waiting: .zero)
        #expect(settings.get(number) == 1 && store.storedText("number") == "1" && told.all == ["2-1 external"])
        settings.set(number, to: 3)
        #expect(store.storedText("number") == "3")
        // What the parent has reported says nothing about the child.
        store.isLocked.value = true
        settings.set(number, to: 4)
        store.isLocked.value = false
        try store.storePending(waiting: .zero)
        #expect(problems.all.map(\.code) == [.pending, .pending, .recovered])
        subscription.cancel()
    }

    @Test("In the child of a fork, a write that is kept does not revive those of its parent")
    func keptAfterFork() throws {
        let settings = service()
        store.isLocked.value = true
        settings.set(number, to: 2)
        store.forkCount.value += 1
        settings.set(other, to: 3)
        #expect(settings.get(number) == 0 && settings.get(other) == 3)
        store.isLocked.value = false
        try store.storePending(waiting: .zero)
        #expect(store.storedText("number") == nil && store.storedText("other") == "3")
    }

    @Test("A change waits for half a second at most, and not at all while others are pending")
    func waiting() {
        #expect(store.pending.waiting(.seconds(3)) == CoreTimings.longestWaitOfSet)
        #expect(store.pending.waiting(.milliseconds(20)) == .milliseconds(20))
        store.isLocked.value = true
        service().set(number, to: 1)
        #expect(store.pending.waiting(.seconds(3)) == .zero)
        #expect(store.pending.size(beside: []) == (1, 7) && store.pending.size(beside: ["number"]) == (0, 0))
    }

    @Test("Any order of sets, locks, edits and attempts ends with what a plain list of steps gives", arguments: 0..<300)
    func anyOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let settings = service()
        var (stored, pending): ([Int: Int], [Int: Int]) = ([:], [:])
        let all = (0..<3).map { Setting<Int>("s\($0)", in: .defaults, default: 0) }
        let told = all.map { _ in Recorder<[Int]>() }
        let subscriptions = zip(all, told).map { setting, told in
            settings.observe(setting) { told.append([$0.oldValue, $0.newValue]) }
        }
        for step in 1...60 {
            let index = Int.random(in: 0..<3, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2:
                settings.set(all[index], to: step)
                if store.isLocked.value {
                    pending[index] = step
                } else {
                    stored.merge(pending) { $1 }
                    pending = [:]
                    stored[index] = step
                }
            case 3, 4:
                store.changeFromOutside("s\(index)", "\(step)")
                stored[index] = step
            case 5, 6: store.isLocked.value.toggle()
            default:
                store.runBackground()
                if !store.isLocked.value {
                    stored.merge(pending) { $1 }
                    pending = [:]
                }
            }
            for index in 0..<3 {
                #expect(settings.get(all[index]) == pending[index] ?? stored[index] ?? 0, "seed \(seed), step \(step)")
                #expect(store.storedText("s\(index)") == stored[index].map { "\($0)" }, "seed \(seed), step \(step)")
            }
        }
        for (setting, told) in zip(all, told) {
            #expect(told.all.last?.last ?? 0 == settings.get(setting), "seed \(seed)")
            #expect(zip(told.all, told.all.dropFirst()).allSatisfy { $0[1] == $1[0] }, "seed \(seed)")
        }
        for subscription in subscriptions { subscription.cancel() }
    }
}
