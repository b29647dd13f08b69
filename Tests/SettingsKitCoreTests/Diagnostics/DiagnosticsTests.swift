import Foundation
import Testing

@testable import SettingsKitCore

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
        #expect(sunk.codes == [.decodingFailed, .encodingFailed, .encodingFailed])
        #expect(sunk.all.map(\.key) == [number.key, ratio.key, ratio.key])
    }

    @Test("A cause is reported once, whichever read comes upon it")
    func once() throws {
        let problems = Recorder<SettingsError>()
        let store = TwoFunctionStore(["number": Data("x".utf8)])
        let settings = SettingsService.over(store, problems)
        let twin = Setting<Int>("number", in: .defaults, default: 8)
        for _ in 0..<3 {
            #expect(settings.get(number) == 7)
            #expect(settings.get(twin) == 8)
            #expect(settings.value(number).value == 7)
            settings.transaction { _ = $0.get(number) }
        }
        #expect(problems.count == 1)
        // Each service reports it.
        let others = Recorder<SettingsError>()
        #expect(SettingsService.over(store, others).get(number) == 7 && others.count == 1)
    }

    @Test("A service reports a store's own problems, also those from before its registration")
    func storeProblems() {
        let problems = Recorder<SettingsError>()
        let store = FeedStore()
        store.report(SettingsError(.damaged, store: "early"))
        let settings = SettingsService.over(store, problems)
        store.report(SettingsError(.notSaved, store: "late"))
        #expect(problems.codes == [.damaged, .notSaved])
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
        func countUntilNoStore(_ stream: inout SettingsService.Stream<SettingsError>.Iterator) async -> Int {
            var count = 0
            while let problem = await stream.next() {
                count += 1
                if problem.code == .noStore { break }
            }
            return count
        }
        #expect(await countUntilNoStore(&stream) <= 1_024)
        var late = settings.diagnostics.makeAsyncIterator()
        #expect(await countUntilNoStore(&late) <= 64)
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

    @Test(
        "The guide's counts are those of the code",
        arguments: [
            ("errors that a new stream of diagnostics begins with", CoreLimits.recentErrors),
            ("causes that are remembered, so that each is reported once", CoreLimits.reportedCauses),
            ("attempts of an `update` while others change the setting", CoreLimits.transactionAttempts),
            ("changes that wait for a slow reader of a stream", CoreLimits.waitingChanges),
        ])
    func guide(row: String, count: Int) throws {
        let cell = try #require(Guide("Limits").row(row)?.first)
        #expect(Int(cell.filter { $0 != "," }.prefix(while: \.isNumber)) == count)
    }
}
