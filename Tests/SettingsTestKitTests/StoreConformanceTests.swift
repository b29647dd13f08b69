import Foundation
import SettingsKitCore
import Testing

@testable import SettingsTestKit

@Suite("The conformance suite", .ownThreads)
struct StoreConformanceTests {
    /// A correct store of two functions, whose medium may fail.
    private final class PlainStore: SettingsStore {
        private let contents = Mutex<[String: Data]>([:])
        let isBroken = Mutex(false)

        func get(_ key: SettingsService.StorageKey) throws -> Data? {
            if isBroken.withLock({ $0 }) { throw SettingsError(.readFailed) }
            return contents.withLock { $0[key.name] }
        }

        func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
            if isBroken.withLock({ $0 }) { throw SettingsError(.writeFailed) }
            contents.withLock { $0[key.name] = data }
        }
    }

    @Test("A store that does one thing wrong breaks its rules", arguments: BrokenStore.Fault.allCases)
    func finds(fault: BrokenStore.Fault) async {
        let suite = StoreConformance(fault)
        let report = await suite.run(suite.checks.filter { fault.rules.contains($0.rule.id) })
        #expect(report.failures.map(\.rule.id).sorted() == fault.rules.sorted(), "\(report)")
        #expect(report.description.hasPrefix("FAILED  "))
    }

    @Test("For each rule, which has a name and a sentence, there is a broken store that the suite finds")
    func rules() {
        let rules = StoreConformance.rules
        #expect(Set(BrokenStore.Fault.allCases.flatMap(\.rules)) == Set(rules.map(\.id)))
        #expect(Set(rules.map(\.id)).count == rules.count && Set(rules.map(\.statement)).count == rules.count)
        for rule in rules {
            #expect(rule.id.wholeMatch(of: #/[a-z]+\.[a-z]+(-[a-z]+)*/#) != nil && rule.statement.hasSuffix("."))
        }
    }

    @Test("A correct store passes all rules")
    func passes() async {
        let report = await StoreConformance(nil).run()
        #expect(report.passed.map(\.id) == StoreConformance.rules.map(\.id), "\(report)")
    }

    @Test("A correct store of two functions passes; the report names the rules that it does not offer as skipped")
    func twoFunctions() async {
        let report = await StoreConformance { PlainStore() }.run()
        #expect(report.failures.isEmpty && report.passed.count >= 20, "\(report)")
        #expect(report.passed.count + report.skipped.count == StoreConformance.rules.count)
        for reason in ["has no feed", "list its keys", "`reopen:`", "`unreadable:`", "`unwritable:`", "`killed:`"] {
            #expect(report.skipped.contains { $0.reason.contains(reason) }, "\(reason)")
            #expect(report.description.contains(reason))
        }
    }

    @Test("A store that cannot read either while its medium is unwritable passes; the rule about questions is skipped")
    func neitherReadableNorWritable() async {
        let breakMedium: StoreConformance.Break = { store in
            let store = store as? PlainStore
            store?.isBroken.withLock { $0 = true }
            return { store?.isBroken.withLock { $0 = false } }
        }
        let report = await StoreConformance(unwritable: breakMedium) { PlainStore() }.run()
        #expect(report.failures.isEmpty, "\(report)")
        let question = report.skipped.first { $0.rule.id == "unwritable.question" }
        #expect(question?.reason.contains("cannot read either") == true)
    }

    @Test("Rules that need a second store are skipped without a closure that opens it")
    func withoutReopening() async {
        let report = await StoreConformance(nil, closures: ["unreadable", "unwritable", "killed"]).run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.skipped.map(\.rule.id).filter { $0.hasPrefix("durability.") }.count == 4, "\(report)")
        #expect(report.skipped.allSatisfy { $0.reason.contains("`reopen:`") }, "\(report)")
    }

    @Test("Closures that break nothing check nothing, and the report says so")
    func breaksNothing() async {
        let report = await StoreConformance(nil, breaks: false).run()
        #expect(report.failures.isEmpty, "\(report)")
        let rules = report.skipped.filter { $0.reason.contains("no call threw") }.map(\.rule.id)
        let expected = [
            "unwritable.set", "unwritable.batch", "unwritable.remove-all", "unwritable.feed", "errors.no-values",
        ]
        #expect(rules == expected, "\(report)")
    }

    @Test("A store that cannot be made fails every check instead of stopping the suite")
    func makeThrows() async {
        let report = await StoreConformance { throw Medium.Failure() }.run()
        #expect(report.failures.count == StoreConformance.rules.count)
    }
}

#if os(Linux) || os(macOS)
    @Suite("Running and killing a writer")
    struct RunAndKillTests {
        private func run(_ script: String) async throws -> Int {
            try await StoreConformance.runAndKill("/bin/sh", ["-c", script])
        }

        @Test("The last number of a process that was killed is returned; a line that was cut off does not count")
        func number() async throws {
            #expect(try await run("n=0; while :; do n=$((n + 1)); echo $n; done") > 0)
            #expect(try await run("echo 1; printf 2; exec sleep 60") == 1)
        }

        @Test(
            "A program that ends by itself, prints something else or is missing is an error",
            arguments: ["exit 3", "echo 1; exit 0", "while :; do echo hello; done"])
        func failure(_ script: String) async {
            await #expect(throws: (any Error).self) { try await run(script) }
            await #expect(throws: (any Error).self) { try await StoreConformance.runAndKill("/no/such/program", []) }
        }
    }
#endif
