extension SettingsService {
    /// A condition that a setting's values must meet, and its description.
    ///
    /// ```swift
    /// static let port = Setting<Int>("port", in: .defaults, default: 8080, validation: .range(1...65_535))
    /// static let user = Setting<String>("user", in: .defaults, default: "www", validation: .init("must not be empty") { !$0.isEmpty })
    /// ```
    ///
    /// A value is processed first, then validated. If it does not meet the condition, `save` throws, `set` diagnoses the error, and
    /// the old value stays. A stored value that does not meet the condition counts as undecodable. The default is not validated.
    public struct Validation<Value: Sendable>: NonisolatedExtensions, Sendable {
        private let describe: @Sendable (_ hidesValues: Bool) -> ValidationWording
        private let condition: @Sendable (Value) -> Bool

        /// Creates a condition with its description, which continues a sentence about the setting: "must not be empty".
        public init(_ description: String, _ condition: @escaping @Sendable (Value) -> Bool) {
            self.init(wording: ValidationWording(description), condition)
        }

        /// - Parameter wording: Evaluated when a message or a table needs it, not when the setting is defined.
        init(
            wording: @escaping @autoclosure @Sendable () -> ValidationWording,
            _ condition: @escaping @Sendable (Value) -> Bool
        ) {
            self.init(describing: { _ in wording() }, condition)
        }

        /// - Parameter describe: Returns the wording. Its argument says whether to omit the accepted values.
        init(
            describing describe: @escaping @Sendable (_ hidesValues: Bool) -> ValidationWording,
            _ condition: @escaping @Sendable (Value) -> Bool
        ) {
            self.describe = describe
            self.condition = condition
        }

        /// The same condition with a wording that omits the accepted values, because they may be secrets.
        var hidingValues: Self { Self(describing: { [describe] _ in describe(true) }, condition) }

        /// Returns whether a value meets the condition. Called from any thread, without a lock.
        public func accepts(_ value: Value) -> Bool {
            HeldLocks.requireNone(before: "a validation")
            return condition(value)
        }

        /// The condition for messages: "must not be empty".
        public var description: String { wording.description }

        /// The limits or the allowed values, for documentation and schemas.
        package var constraint: ValueConstraint { wording.constraint }

        /// The text that follows the name of the type in "an integer from 1 to 65535" and in "text, must not be empty".
        var qualifier: String { wording.qualifier }

        var wording: ValidationWording { wording(hidingValues: false) }

        func wording(hidingValues: Bool) -> ValidationWording {
            HeldLocks.requireNone(before: "the wording of a validation")
            return describe(hidingValues)
        }
    }
}

/// The limits of a value, for schemas. Values are texts, as in an environment variable.
package struct ValueConstraint: Sendable, Equatable {
    package var minimum: String?
    package var maximum: String?
    /// The first number above the allowed ones.
    package var exclusiveMaximum: String?
    package var allowed: [String]?
    /// The least number of characters or elements.
    package var minimumCount: Int?

    /// Whether values have a minimum or a maximum.
    var hasLimits: Bool { minimum != nil || maximum != nil || exclusiveMaximum != nil }

    /// Adds limits; they replace limits of the same kind.
    mutating func merge(_ other: ValueConstraint) {
        minimum = other.minimum ?? minimum
        maximum = other.maximum ?? maximum
        exclusiveMaximum = other.exclusiveMaximum ?? exclusiveMaximum
        allowed = other.allowed ?? allowed
        minimumCount = other.minimumCount ?? minimumCount
    }
}

extension SettingsService.Validation {
    /// Accepts values in a range: `.range(1...65_535)`, `.range(0...)`, `.range(..<1)`.
    public static func range<Range: RangeExpression & Sendable>(_ range: Range) -> Self where Range.Bound == Value {
        Self(wording: .limits(of: range), range.contains)
    }

    /// Accepts nil, and values in a range.
    public static func range<Range: RangeExpression & Sendable>(_ range: Range) -> Self
    where Range.Bound: Sendable, Value == Range.Bound? {
        .unlessNil(.range(range))
    }

    /// Accepts nil, and values that meet a condition. The conditions below accept nil without it, except those of optional
    /// collections: `.unlessNil(.notEmpty)`.
    public static func unlessNil<Wrapped>(_ validation: SettingsService.Validation<Wrapped>) -> Self
    where Value == Wrapped? {
        Self(describing: validation.wording) { $0.map(validation.accepts) ?? true }
    }

    /// Accepts values that meet all of the conditions.
    public static func all(of validations: [Self]) -> Self {
        Self(describing: { hidesValues in .all(of: validations.map { $0.wording(hidingValues: hidesValues) }) }) {
            value in
            validations.allSatisfy { $0.accepts(value) }
        }
    }
}

extension SettingsService.Validation where Value: Equatable {
    /// Accepts only the given values.
    public static func oneOf(_ values: [Value]) -> Self {
        Self(describing: { hidesValues in .allowed(values, isHidden: hidesValues) }) { values.contains($0) }
    }

    /// Accepts nil and the given values.
    public static func oneOf<Wrapped: Equatable & Sendable>(_ values: [Wrapped]) -> Self where Value == Wrapped? {
        .unlessNil(.oneOf(values))
    }
}

extension SettingsService.Validation where Value: Collection {
    /// Accepts texts and collections with at least one character or element.
    public static var notEmpty: Self {
        Self(wording: .notEmpty) { !$0.isEmpty }
    }
}

extension SettingsService.Validation where Value == String {
    /// Accepts texts whose number of characters is in a range: `.length(1...64)`, `.length(...64)`.
    public static func length(_ range: some RangeExpression<Int> & Sendable) -> Self {
        Self(wording: .length(range)) { range.contains($0.count) }
    }
}

extension SettingsService.Validation where Value == String? {
    /// Accepts nil, and texts with at least one character.
    public static var notEmpty: Self { .unlessNil(.notEmpty) }

    /// Accepts nil, and texts whose number of characters is in a range.
    public static func length(_ range: some RangeExpression<Int> & Sendable) -> Self { .unlessNil(.length(range)) }
}
