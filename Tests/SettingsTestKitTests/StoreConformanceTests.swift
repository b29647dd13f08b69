import Foundation
import SettingsKitCore
import SettingsTestKit
import Testing

@Suite("The conformance suite", .ownThreads)
struct StoreConformanceTests {
    @Test("A correct store of two functions passes; what it does not offer is named as skipped")
    func passes() async {
        let report = await StoreConformance { PlainStore() }.run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.passed.count >= 20)
        #expect(report.skipped.contains { $0.reason.contains("feed") })
        #expect(report.skipped.contains { $0.reason.contains("list its keys") })
    }

    @Test("Each rule has a name of its own and a sentence, and is in one list of a report")
    func rules() async {
        let rules = StoreConformance.rules
        #expect(Set(rules.map(\.id)).count == rules.count)
        #expect(Set(rules.map(\.statement)).count == rules.count)
        for rule in rules {
            #expect(rule.id.wholeMatch(of: #/[a-z]+\.[a-z]+(-[a-z]+)*/#) != nil)
            #expect(rule.statement.hasSuffix("."))
        }
        let report = await StoreConformance { PlainStore() }.run()
        let reported = (report.failures + report.skipped).map(\.rule) + report.passed
        #expect(reported.count == rules.count)
        #expect(Set(reported) == Set(rules))
    }

    @Test("For each rule there is a broken store that the suite finds")
    func allRulesAreTested() {
        let broken =
            BrokenStore.Fault.allCases.map(\.rule) + BrokenFeedStore.Fault.allCases.flatMap(\.rules)
            + BrokenDurableStore.Fault.allCases.map(\.rule)
        #expect(Set(broken) == Set(StoreConformance.rules.map(\.id)))
    }

    @Test("A store that does one thing wrong fails its rule", arguments: BrokenStore.Fault.allCases)
    func finds(fault: BrokenStore.Fault) async {
        let report = await StoreConformance { BrokenStore(fault) }.run()
        #expect(report.failures.map(\.rule.id).contains(fault.rule), "\(report)")
    }

    @Test("A store whose feed does one thing wrong fails its rules", arguments: BrokenFeedStore.Fault.allCases)
    func finds(fault: BrokenFeedStore.Fault) async {
        let report = await StoreConformance { BrokenFeedStore(fault) }.run()
        #expect(Set(report.failures.map(\.rule.id)).isSuperset(of: fault.rules), "\(report)")
    }

    @Test("A store with a medium that can fail passes all rules, if it does nothing wrong")
    func passesAll() async {
        let report = await durable(nil).run()
        #expect(report.failures.isEmpty && report.skipped.isEmpty, "\(report)")
    }

    @Test(
        "A store that loses data when its medium or its process fails fails its rule",
        arguments: BrokenDurableStore.Fault.allCases)
    func finds(fault: BrokenDurableStore.Fault) async {
        let report = await durable(fault).run()
        #expect(report.failures.map(\.rule.id).contains(fault.rule), "\(report)")
    }

    private func durable(
        _ fault: BrokenDurableStore.Fault?, breaks: Bool = true, reopens: Bool = true
    ) -> StoreConformance {
        @Sendable func mediumBelow(_ store: any SettingsStore) throws -> Medium {
            try #require(store as? BrokenDurableStore).medium
        }
        let reopen: StoreConformance.Reopen = { try BrokenDurableStore.reopened($0) }
        return StoreConformance(
            reopen: reopens ? reopen : nil,
            unreadable: { store in
                let medium = try mediumBelow(store)
                medium.isReadable = !breaks
                return { medium.isReadable = true }
            },
            unwritable: { store in
                let medium = try mediumBelow(store)
                medium.isWritable = !breaks
                return { medium.isWritable = true }
            },
            killed: { try BrokenDurableStore.runAndKill($0) },
            { BrokenDurableStore(Medium(), fault) })
    }

    @Test("What needs a closure that was not passed is skipped, by rule and with the closure's name")
    func skips() async {
        let report = await StoreConformance { PlainStore() }.run()
        for (prefix, closure) in [
            ("unreadable.", "unreadable:"), ("unwritable.set", "unwritable:"),
            ("unwritable.acknowledged", "unwritable:"),
            ("errors.", "unwritable:"), ("durability.killed", "killed:"), ("durability.reopened", "reopen:"),
        ] {
            let skipped = report.skipped.filter { $0.rule.id.hasPrefix(prefix) }
            #expect(!skipped.isEmpty)
            for finding in skipped where !finding.reason.contains("atomic batches") {
                #expect(finding.reason.contains("`\(closure)`"), "\(finding)")
            }
        }
        let without = await durable(nil, reopens: false).run()
        #expect(without.failures.isEmpty, "\(without)")
        #expect(without.skipped.map(\.rule.id).filter { $0.hasPrefix("durability.") }.count == 4, "\(without)")
    }

    @Test("Closures that break nothing check nothing, and the report says so")
    func breaksNothing() async {
        let report = await durable(nil, breaks: false).run()
        #expect(report.failures.isEmpty, "\(report)")
        for rule in [
            "unwritable.set", "unwritable.batch", "unwritable.remove-all", "unwritable.feed", "errors.no-values",
        ] {
            #expect(report.skipped.contains { $0.rule.id == rule && $0.reason.contains("no call threw") }, "\(rule)")
        }
    }

    @Test("A store that cannot be made fails every check instead of stopping the suite")
    func makeThrows() async {
        let report = await StoreConformance { throw BrokenStore.Refusal() }.run()
        #expect(report.passed.isEmpty)
        #expect(report.failures.count >= 20)
    }

    @Test("A store that forgets what was synchronized fails the check of reopening")
    func forgetful() async {
        let report = await StoreConformance(reopen: { _ in PlainStore() }) { PlainStore() }.run()
        #expect(report.failures.map(\.rule.id) == ["durability.reopened"])
    }

    @Test("The report names each rule with its outcome, the failures first")
    func description() async {
        let report = await StoreConformance { BrokenStore(.failsToSynchronize) }.run()
        let lines = report.description.split(separator: "\n")
        #expect(lines.first?.hasPrefix("FAILED") == true)
        #expect(report.description.contains("passed  names.case: Names that differ in case are two keys."))
    }
}

#if os(Linux) || os(macOS)
    @Suite("Running and killing a writer")
    struct RunAndKillTests {
        private func run(_ script: String) async throws -> Int {
            try await StoreConformance.runAndKill("/bin/sh", ["-c", script])
        }

        @Test("The last number of a process that was killed is returned")
        func number() async throws {
            let number = try await run("n=0; while :; do n=$((n + 1)); echo $n; done")
            #expect(number > 0)
        }

        @Test("A line that was cut off by the kill does not count")
        func cutLine() async throws {
            #expect(try await run("echo 1; printf 2; while :; do sleep 1; done") == 1)
        }

        @Test(
            "A program that ends by itself, prints something else or is missing is an error",
            arguments: [
                "exit 3", "echo 1; exit 0", "while :; do echo hello; done",
            ])
        func failure(_ script: String) async {
            await #expect(throws: (any Error).self) { try await run(script) }
            await #expect(throws: (any Error).self) {
                try await StoreConformance.runAndKill("/no/such/program", [])
            }
        }
    }
#endif
