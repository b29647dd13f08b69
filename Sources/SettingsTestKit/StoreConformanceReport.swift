/// What a conformance suite found out about a store.
public struct StoreConformanceReport: Sendable, CustomStringConvertible {
    /// A rule of the contract, and why it is where it is in the report.
    public struct Finding: Sendable, Hashable {
        /// The rule, a sentence.
        public let rule: String
        /// What was wrong, or why it was not checked.
        public let reason: String
    }

    /// The rules that the store breaks.
    public internal(set) var failures: [Finding] = []
    /// The rules about something that the store does not offer, or that the suite was given no means to check.
    public internal(set) var skipped: [Finding] = []
    /// The rules that the store keeps.
    public internal(set) var passed: [String] = []

    /// A line for each rule, the broken ones first.
    public var description: String {
        let lines =
            failures.map { "FAILED  \($0.rule)\n        \($0.reason)" }
            + skipped.map { "skipped \($0.rule) (\($0.reason))" } + passed.map { "passed  \($0)" }
        return lines.joined(separator: "\n")
    }
}
