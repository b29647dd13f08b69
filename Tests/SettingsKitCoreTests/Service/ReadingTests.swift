import Foundation
import SettingsKitCore
import Testing

@Suite("Reading")
struct ReadingTests {
    private let number = Setting<Int>("number", in: .defaults, default: 7)

    @Test("A missing store reads as the default, and is diagnosed once")
    func missingStore() {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService(stores: [:], diagnosticSink: .init { problems.append($0) })
        let other = Setting<Int>("other", in: .defaults, default: 8)
        for _ in 0..<3 {
            #expect(settings.get(number) == 7)
            #expect(settings[other] == 8)
            #expect(!settings.isSet(number))
            #expect(settings.keys(in: .defaults).isEmpty)
        }
        #expect(problems.all.map(\.code) == [.noStore])
        let error = #expect(throws: SettingsError.self) { try settings.load(number) }
        #expect(error?.code == .noStore)
        #expect(error?.key == number.key)
    }

    @Test("An unreadable store reads as the default, is diagnosed once a setting, and is read again")
    func unreadableStore() throws {
        let problems = Recorder<SettingsError>()
        let isBroken = Box(true)
        let store = FeedStore(["number": Data("9".utf8)], willGet: { _ in if isBroken.value { throw StoreBroken() } })
        let settings = SettingsService.over(store, problems)
        for _ in 0..<3 { #expect(settings.get(number) == 7) }
        #expect(problems.all.map(\.code) == [.readFailed])
        let error = #expect(throws: SettingsError.self) { try settings.load(number) }
        #expect(error?.code == .readFailed)
        #expect(error?.key == number.key)
        #expect(error?.store == "FeedStore")
        #expect(error?.underlying is StoreBroken)
        #expect(settings.update(number) { $0 += 1 } == nil, "Nothing is calculated from a default.")
        isBroken.value = false
        #expect(settings.get(number) == 9)
        #expect(try settings.load(number) == 9)
    }

    @Test("An undecodable value keeps its bytes, and is diagnosed once", arguments: StoreKind.allCases)
    func undecodable(kind: StoreKind) throws {
        let problems = Recorder<SettingsError>()
        let store = kind.make()
        let bytes = Data("\"no number\"".utf8)
        try store.set(number.key, to: bytes)
        let settings = SettingsService.over(store, problems)
        for _ in 0..<3 { #expect(settings.get(number) == 7) }
        let live = settings.value(number)
        #expect(live.value == 7)
        #expect(try store.get(number.key) == bytes)
        #expect(problems.all.map(\.code) == [.decodingFailed])
        #expect(settings.isSet(number))
        let error = #expect(throws: SettingsError.self) { try settings.load(number) }
        #expect(error?.code == .decodingFailed)
        settings.set(number, to: 1)
        #expect(settings.get(number) == 1)
        #expect(try store.get(number.key) == Data("1".utf8))
    }

    @Test("A default is never written", arguments: StoreKind.allCases)
    func defaultsAreNotWritten(kind: StoreKind) async throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let optional = Setting<String?>("optional", in: .defaults)
        let fallback = Setting<String?>("fallback", in: .defaults, default: "x")
        _ = (settings.get(number), settings.get(optional), settings.get(fallback), settings.isSet(number))
        _ = try settings.load(number)
        let live = settings.value(number)
        #expect(live.value == 7)
        let subscription = settings.observe(number) { _ in }
        var values = settings.values(of: number).makeAsyncIterator()
        #expect(await values.next() == 7)
        settings.transaction { _ = $0.get(number) }
        settings.reset(number)
        subscription.cancel()
        for key in [number.key, optional.key, fallback.key] { #expect(try store.get(key) == nil) }
        #expect((store as? TwoFunctionStore)?.setCount ?? 0 <= 1)
    }
}
