import Foundation
import SettingsKitCore
import SettingsTestKit
import Testing

@Suite("The conformance suite")
struct StoreConformanceTests {
    @Test("A correct store of two functions passes; what it does not offer is named as skipped")
    func passes() async {
        let report = await StoreConformance { PlainStore() }.run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.passed.count >= 20)
        #expect(report.skipped.contains { $0.reason.contains("feed") })
        #expect(report.skipped.contains { $0.reason.contains("list its keys") })
    }

    @Test("A store that does one thing wrong fails", arguments: BrokenStore.Fault.allCases)
    func finds(fault: BrokenStore.Fault) async {
        let report = await StoreConformance { BrokenStore(fault) }.run()
        #expect(!report.failures.isEmpty, "\(report)")
    }

    @Test("A store whose feed does one thing wrong fails", arguments: BrokenFeedStore.Fault.allCases)
    func finds(fault: BrokenFeedStore.Fault) async {
        let report = await StoreConformance { BrokenFeedStore(fault) }.run()
        #expect(!report.failures.isEmpty, "\(report)")
    }

    @Test("A store that cannot be made fails every check instead of stopping the suite")
    func makeThrows() async {
        let report = await StoreConformance { throw BrokenStore.Refusal() }.run()
        #expect(report.passed.isEmpty)
        #expect(report.failures.count >= 20)
    }

    @Test("A store that forgets what was synchronised fails the check of reopening")
    func forgetful() async {
        let report = await StoreConformance(reopen: { _ in PlainStore() }) { PlainStore() }.run()
        #expect(report.failures.map(\.rule) == ["Synchronised values are there when the store is opened again."])
    }

    @Test("The report names each rule with its outcome, the failures first")
    func description() async {
        let report = await StoreConformance { BrokenStore(.failsToSynchronize) }.run()
        let lines = report.description.split(separator: "\n")
        #expect(lines.first?.hasPrefix("FAILED") == true)
        #expect(report.description.contains("passed  Names that differ in case are two keys."))
    }
}
