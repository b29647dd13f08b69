import Foundation
import SettingsKitCore
import Testing

@Suite("Diagnostics", .timeLimit(Rounds.timeLimit))
struct DiagnosticsTests {
    private let number = Setting<Int>("number", in: .defaults, default: 7)
    private let ratio = Setting<Double>("ratio", in: .defaults, default: 0)

    @Test("The sink and the stream receive the same problems, earlier ones included")
    func sinkAndStream() async {
        let sunk = Recorder<SettingsError>()
        let settings = SettingsService.over(TwoFunctionStore(["number": Data("x".utf8)]), sunk)
        _ = settings.get(number)
        var stream = settings.diagnostics.makeAsyncIterator()
        var other = settings.diagnostics.makeAsyncIterator()
        settings.set(ratio, to: .nan)
        settings.set(ratio, to: .nan)
        for code in [SettingsError.Code.decodingFailed, .encodingFailed, .encodingFailed] {
            #expect(await stream.next()?.code == code)
            #expect(await other.next()?.code == code)
        }
        #expect(sunk.all.map(\.code) == [.decodingFailed, .encodingFailed, .encodingFailed])
        #expect(sunk.all.map(\.key) == [number.key, ratio.key, ratio.key])
    }

    @Test("A cause is reported once, whichever read comes upon it")
    func once() throws {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(TwoFunctionStore(["number": Data("x".utf8)]), problems)
        let twin = Setting<Int>("number", in: .defaults, default: 8)
        for _ in 0..<3 {
            #expect(settings.get(number) == 7)
            #expect(settings.get(twin) == 8)
            #expect(settings.value(number).value == 7)
            settings.transaction { _ = $0.get(number) }
        }
        #expect(problems.count == 1)
    }

    @Test("Each service reports a cause by itself")
    func eachService() {
        let store = MemoryStore(["number": Data("x".utf8)])
        let (one, other) = (Recorder<SettingsError>(), Recorder<SettingsError>())
        _ = SettingsService.over(store, one).get(number)
        _ = SettingsService.over(store, other).get(number)
        #expect(one.count == 1 && other.count == 1)
    }

    @Test("A service reports a store's own problems, also those from before its registration")
    func storeProblems() {
        let problems = Recorder<SettingsError>()
        let store = FeedStore()
        store.report(SettingsError(.damaged, store: "early"))
        let settings = SettingsService.over(store, problems)
        store.report(SettingsError(.notSaved, store: "late"))
        #expect(problems.all.map(\.code) == [.damaged, .notSaved])
        #expect(problems.all.map(\.store) == ["early", "late"])
        withExtendedLifetime(settings) {}
    }

    @Test("A stream bounds thousands of unread problems, and keeps the newest")
    func bounded() async {
        let settings = SettingsService.over(MemoryStore())
        var stream = settings.diagnostics.makeAsyncIterator()
        for _ in 0..<3_000 { settings.set(ratio, to: .nan) }
        let nowhere = Setting<Int>("nowhere", in: .shared, default: 0)
        settings.set(nowhere, to: 1)
        var count = 0
        while let problem = await stream.next() {
            count += 1
            if problem.code == .noStore { break }
        }
        #expect(count <= 1_024)
        var late = settings.diagnostics.makeAsyncIterator()
        var lateCount = 0
        while let problem = await late.next() {
            lateCount += 1
            if problem.code == .noStore { break }
        }
        #expect(lateCount <= 64)
    }

    @Test("The sink may use the service")
    func sinkUsesService() {
        let service = Box<SettingsService?>(nil)
        let count = Setting<Int>("count", in: .defaults, default: 0)
        let settings = SettingsService(
            stores: [.defaults: TwoFunctionStore()],
            diagnosticSink: .init { _ in service.value?.update(count) { $0 += 1 } })
        service.value = settings
        settings.set(ratio, to: .nan)
        settings.set(ratio, to: .infinity)
        _ = settings.get(Setting<Int>("far", in: .shared, default: 0))
        service.value = nil
        #expect(settings.get(count) == 3)
    }
}
