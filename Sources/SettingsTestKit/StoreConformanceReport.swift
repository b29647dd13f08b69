/// The result of a conformance suite: each of ``StoreConformance/rules`` is in one of three lists.
public struct StoreConformanceReport: Sendable, CustomStringConvertible {
    /// A rule of the contract, and the reason for its place in the report.
    public struct Finding: Sendable, Hashable {
        /// The rule.
        public let rule: StoreConformance.Rule
        /// The observed behavior, or the reason why the rule was not checked.
        public let reason: String
    }

    /// The rules that the store breaks.
    public internal(set) var failures: [Finding] = []
    /// The rules that were not checked, because the store does not offer the function, or the suite lacks a closure.
    public internal(set) var skipped: [Finding] = []
    /// The rules that the store keeps.
    public internal(set) var passed: [StoreConformance.Rule] = []

    /// A line for each rule, the broken ones first.
    public var description: String {
        let lines =
            failures.map { "FAILED  \($0.rule)\n        \($0.reason)" }
            + skipped.map { "skipped \($0.rule) (\($0.reason))" } + passed.map { "passed  \($0)" }
        return lines.joined(separator: "\n")
    }
}
