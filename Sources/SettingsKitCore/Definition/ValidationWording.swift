/// The texts that describe a validation.
struct ValidationWording: Sendable {
    /// "must be from 1 to 65535".
    var description: String
    /// " from 1 to 65535".
    var qualifier: String
    var constraint: ValueConstraint

    init(_ description: String, qualifier: String? = nil, constraint: ValueConstraint = ValueConstraint()) {
        self.description = description
        self.qualifier = qualifier ?? ", \(description)"
        self.constraint = constraint
    }
}

// The texts of the standard conditions.
extension ValidationWording {
    static var notEmpty: Self {
        var constraint = ValueConstraint()
        constraint.minimumCount = 1
        return Self("must not be empty", constraint: constraint)
    }

    static func allowed<Value>(_ values: [Value], isHidden: Bool) -> Self {
        let texts = isHidden ? [] : values.compactMap { text($0) }
        var constraint = ValueConstraint()
        let list: String
        if texts.count < values.count {
            list = "one of the allowed values"
        } else {
            // An optional type already allows nil.
            constraint.allowed = values.filter { ($0 as? any OptionalValue)?.isNil != true }.compactMap { text($0) }
            list = self.list(of: texts)
        }
        return Self("must be \(list)", qualifier: ", \(list)", constraint: constraint)
    }

    /// "one of light, dark".
    static func list(of texts: [String]) -> String {
        texts.isEmpty ? "no value" : "one of \(texts.joined(separator: ", "))"
    }

    static func limits<Range: RangeExpression>(of range: Range) -> Self {
        let limits = Limits(range)
        let phrase = limits.phrase
        return Self(
            "must be \(phrase)", qualifier: phrase.hasPrefix("at ") ? " of \(phrase)" : " \(phrase)",
            constraint: limits.constraint)
    }

    static func length(_ range: some RangeExpression<Int>) -> Self {
        var limits = Limits(range)
        // Whole numbers below 65 are at most 64.
        if let end = limits.constraint.exclusiveMaximum.flatMap({ Int($0) }), end > Int.min {
            limits.constraint.exclusiveMaximum = nil
            limits.constraint.maximum = String(end - 1)
        }
        var constraint = ValueConstraint()
        // A character in a schema is a Unicode scalar. A text has at least as many scalars as characters, and perhaps more.
        constraint.minimumCount = limits.constraint.minimum.flatMap { Int($0) }
        let phrase: String =
            switch (limits.constraint.minimum, limits.constraint.maximum) {
            case (let minimum?, let maximum?) where minimum == maximum: "\(minimum) characters"
            case (let minimum?, let maximum?): "\(minimum) to \(maximum) characters"
            case (let minimum?, nil): "at least \(minimum) characters"
            case (nil, let maximum?): "at most \(maximum) characters"
            case (nil, nil): "a number of characters"
            }
        return Self("must have \(phrase)", qualifier: " of \(phrase)", constraint: constraint)
    }

    static func all(of wordings: [Self]) -> Self {
        var constraint = ValueConstraint()
        for wording in wordings { constraint.merge(wording.constraint) }
        return Self(
            wordings.isEmpty ? "may be any value" : wordings.map(\.description).joined(separator: " and "),
            qualifier: wordings.map(\.qualifier).joined(), constraint: constraint)
    }

    /// Returns the text of a value in the form that a setting of its type reads; nil if it has none, like an infinite number.
    static func text<Value>(_ value: Value) -> String? {
        if let value = value as? any Codable { return StandardText.write(value) }
        return ((value as? any RawRepresentable)?.rawValue as? any TextValue)?.text
    }

    /// The ends of a range as texts.
    private struct Limits {
        var constraint = ValueConstraint()

        init<Range: RangeExpression>(_ range: Range) {
            switch range {
            case let range as ClosedRange<Range.Bound>:
                constraint.minimum = text(range.lowerBound)
                constraint.maximum = text(range.upperBound)
            case let range as PartialRangeFrom<Range.Bound>:
                constraint.minimum = text(range.lowerBound)
            case let range as PartialRangeThrough<Range.Bound>:
                constraint.maximum = text(range.upperBound)
            case let range as Swift.Range<Range.Bound>:
                constraint.minimum = text(range.lowerBound)
                constraint.exclusiveMaximum = text(range.upperBound)
            case let range as PartialRangeUpTo<Range.Bound>:
                constraint.exclusiveMaximum = text(range.upperBound)
            default: break
            }
        }

        /// "from 1 to 65535".
        var phrase: String {
            switch (constraint.minimum, constraint.maximum, constraint.exclusiveMaximum) {
            case (let minimum?, let maximum?, _): "from \(minimum) to \(maximum)"
            case (let minimum?, nil, let end?): "from \(minimum) to below \(end)"
            case (let minimum?, nil, nil): "at least \(minimum)"
            case (nil, let maximum?, _): "at most \(maximum)"
            case (nil, nil, let end?): "below \(end)"
            case (nil, nil, nil): "in its range"
            }
        }
    }
}
