import SettingsTestSupport
import Testing

@testable import SettingsKitCore

@Suite("The counts in the guide")
struct GuideCountsTests {
    /// The number that a row of the guide begins with.
    private func count(_ row: String) throws -> Int? {
        let cell = try #require(Guide("Limits").row(row)?.first)
        return Int(cell.filter { $0 != "," }.prefix(while: \.isNumber))
    }

    @Test("The guide's counts are those of the code")
    func counts() throws {
        #expect(try count("errors that a new stream of diagnostics begins with") == CoreLimits.recentErrors)
        #expect(try count("causes that are remembered, so that each is reported once") == CoreLimits.reportedCauses)
        #expect(
            try count("attempts of an `update` while others change the setting") == CoreLimits.transactionAttempts)
    }

    @Test("A stream of changes keeps as many for a slow reader as the guide says, and ends on the newest")
    func slowReader() async throws {
        let limit = try #require(try count("changes that wait for a slow reader of a stream"))
        let settings = SettingsService(stores: [.defaults: MemoryStore()], diagnosticSink: .none)
        let number = Setting<Int>("number", in: .defaults, default: 0)
        let changes = settings.changes(of: number)
        for value in 1...limit * 2 { settings.set(number, to: value) }
        var (received, last) = (0, 0)
        for await change in changes {
            #expect(change.oldValue == last)
            (received, last) = (received + 1, change.newValue)
            if last == limit * 2 { break }
        }
        #expect(received == limit)
    }
}
