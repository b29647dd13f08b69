extension StoreConformance {
    /// A rule of the contract of `SettingsStore`.
    public struct Rule: Sendable, Hashable, CustomStringConvertible {
        /// A short name to cite the rule by, such as `unreadable.throws`. Later versions do not give it to another rule.
        public let id: String
        /// The rule as a sentence.
        public let statement: String

        /// The name and the sentence.
        public var description: String { "\(id): \(statement)" }
    }

    /// All rules, in the order in which ``run()`` checks them.
    public static var rules: [Rule] { StoreConformance { throw NotOffered(reason: "") }.checks.map(\.rule) }
}
