extension SettingsService {
    /// A condition that a setting's values must meet, and its description.
    ///
    /// ```swift
    /// static let port = Setting<Int>("port", in: .defaults, default: 8080, validation: .range(1...65_535))
    /// static let user = Setting<String>("user", in: .defaults, default: "www", validation: .init("must not be empty") { !$0.isEmpty })
    /// ```
    ///
    /// A value that is set is processed first and validated then; `save` throws, and `set` diagnoses, a value that does not
    /// meet the condition, and the old value stays. A stored value that does not meet it counts as undecodable. The default is
    /// not validated.
    public struct Validation<Value: Sendable>: Sendable {
        /// What values must be, for messages: "must not be empty".
        public let description: String
        /// The limits or the allowed values, for documentation and schemas.
        package let constraint: ValueConstraint?
        private let condition: @Sendable (Value) -> Bool

        /// Creates a condition with its description, which continues a sentence that begins with the setting: "must not be
        /// empty".
        public init(_ description: String, _ condition: @escaping @Sendable (Value) -> Bool) {
            self.init(description, constraint: nil, condition)
        }

        init(_ description: String, constraint: ValueConstraint?, _ condition: @escaping @Sendable (Value) -> Bool) {
            self.description = description
            self.constraint = constraint
            self.condition = condition
        }

        /// Whether a value meets the condition. Called from any thread, without a lock.
        public func accepts(_ value: Value) -> Bool { condition(value) }
    }
}

/// The limits of a value, as numbers or text in JSON.
package struct ValueConstraint: Sendable, Equatable {
    package var minimum: String?
    package var maximum: String?
    package var allowed: [String]?
}
