import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

/// Each change gets one verdict, which readers and listeners share.
@Suite("A change is judged once", .timeLimit(Rounds.timeLimit))
struct VerdictTests {
    private let store = FeedStore(["number": Data("1".utf8)])

    @Test("An external change is decoded once for a listener and the readers")
    func decodedOnce() {
        let settings = SettingsService.over(store)
        let decoded = Recorder<String>()
        let number = setting { decoded.append(String(decoding: $0, as: UTF8.self)) }
        #expect(settings.get(number) == 1)
        let told = Recorder<[Int]>()
        let subscription = settings.observe(number) { told.append([$0.oldValue, $0.newValue]) }
        for value in ["2", "oops", "3"] { store.changeFromOutside([("number", value)]) }
        #expect(settings.get(number) == 3)
        #expect(told.all == [[1, 2], [2, 3]])
        #expect(decoded.all == ["1", "2", "oops", "3"])
        subscription.cancel()
    }

    @Test("A decoder that reads its own setting gets what is in force", arguments: [true, false])
    func readsItself(isExternal: Bool) {
        let settings = SettingsService.over(store)
        let seen = Recorder<Int>()
        let own = Box<Setting<Int>?>(nil)
        let number = setting { _ in if let own = own.value { seen.append(settings.get(own)) } }
        #expect(settings.get(number) == 1)
        let told = Recorder<Int>()
        let subscription = settings.observe(number) { told.append($0.newValue) }
        own.value = number
        if isExternal {
            store.changeFromOutside([("number", "2")])
        } else {
            try? store.set(number.key, to: Data("2".utf8))
        }
        #expect(settings.get(number) == 2)
        #expect(seen.all.allSatisfy { $0 == 1 } && !seen.all.isEmpty)
        #expect(told.all == [2])
        own.value = nil
        subscription.cancel()
    }

    @Test("A decoder that reads its own setting when nothing is known gets the default")
    func readsItselfFirst() {
        let settings = SettingsService.over(store)
        let seen = Recorder<Int>()
        let own = Box<Setting<Int>?>(nil)
        let number = setting { _ in if let own = own.value { seen.append(settings.get(own)) } }
        own.value = number
        #expect(settings.get(number) == 1)
        #expect(seen.all == [7])
        own.value = nil
    }

    @Test("If a validation changes its mind, readers and listeners still agree")
    func unstableValidation() {
        let settings = SettingsService.over(store)
        let accepts = Box(true)
        let number = Setting<Int>(
            "number", in: .defaults, default: 7, validation: .init("must be wanted") { _ in accepts.value })
        let told = Recorder<Int>()
        #expect(settings.get(number) == 1)
        let subscription = settings.observe(number) { change in
            told.append(change.newValue)
            accepts.value = false
            #expect(settings.get(number) == change.newValue)
        }
        store.changeFromOutside([("number", "2")])
        #expect(settings.get(number) == 2 && told.all == [2])
        store.changeFromOutside([("number", "3")])
        #expect(settings.get(number) == 2 && told.all == [2])
        subscription.cancel()
    }

    @Test("A service that begins after many bad edits has the value that the others keep", arguments: [1, 5, 30])
    func manyBadEdits(count: Int) {
        let settings = SettingsService.over(store)
        let number = setting { _ in }
        #expect(settings.get(number) == 1)
        store.changeFromOutside([("number", "2")])
        for edit in 0..<count { store.changeFromOutside([("number", "oops \(edit)")]) }
        #expect(settings.get(number) == 2 && SettingsService.over(store).get(number) == 2 && store.get(number) == 2)
        for value in 3..<20 { store.changeFromOutside([("number", "\(value)")]) }
        store.changeFromOutside([("number", "oops")])
        #expect(settings.get(number) == 19 && SettingsService.over(store).get(number) == 19)
        settings.reset(number)
        store.changeFromOutside([("number", "oops")])
        #expect(settings.get(number) == 7 && SettingsService.over(store).get(number) == 7)
    }

    @Test("A service that is released while another store is being connected delivers nothing more")
    func released() async {
        let other = FeedStore(["number": Data("2".utf8)])
        let number = setting { _ in }
        var settings: SettingsService? = SettingsService.over(store)
        weak let released = settings
        let told = Recorder<Int>()
        let isEnded = Box(false)
        var subscription = settings?.observe(number) { change in
            told.append(change.newValue)
            if change.newValue == 5 { isEnded.value = true }
        }
        settings?.register(other, for: .defaults)
        settings?.set(number, to: 5)
        #expect(isEnded.value && told.all == [2, 5])
        subscription = nil
        settings = nil
        _ = subscription
        #expect(released == nil)
    }

    private func setting(_ onDecode: @escaping @Sendable (Data) -> Void) -> Setting<Int> {
        Setting<Int>("number", in: .defaults, default: 7, transformer: HookedTransformer(onUntransform: onDecode))
    }
}
