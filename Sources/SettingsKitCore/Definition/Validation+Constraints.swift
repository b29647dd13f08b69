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
