import SettingsKitCore

/// The control that edits a setting in a form.
enum FormControl: Equatable, Sendable {
    struct Choice: Hashable, Sendable {
        /// The stored value, as input.
        let input: String
        let title: String
        /// Whether the title is the value itself, not a name that can be translated.
        var isValue = false
    }

    case toggle
    /// A choice of several values.
    case choice([Choice])
    /// A whole number in a range of at most a hundred steps.
    case stepper(ClosedRange<Int>)
    /// A number in a range.
    case slider(ClosedRange<Double>)
    case date
    case number
    case text
    /// A text that is not shown.
    case secret
    /// A value without a text: it is shown, and can only be reset.
    case fixed

    /// - Parameter text: The text of the value in force; nil if it has none.
    init(_ type: ValueDescription, isSecret: Bool, text: String?) {
        let constraint = type.constraint
        if isSecret {
            self = .secret
        } else if text == nil {
            self = .fixed
        } else if let allowed = constraint.allowed {
            self = .choice(Self.choices(allowed, type))
        } else if type.json == "boolean" {
            self = type.isOptional ? .choice(Self.optionalBoolean) : .toggle
        } else if type.isOptional {
            self = Self.field(type)
        } else if type.json == "integer", let low = constraint.minimum.flatMap({ Int($0) }),
            let high = Self.highestInteger(constraint), low <= high, Self.count(from: low, to: high) <= 101
        {
            self = .stepper(low...high)
        } else if type.json == "number", let low = constraint.minimum.flatMap({ Double($0) }),
            let high = constraint.maximum.flatMap({ Double($0) }), low < high
        {
            self = .slider(low...high)
        } else if type.format == "date-time" {
            self = .date
        } else {
            self = Self.field(type)
        }
    }

    private static func field(_ type: ValueDescription) -> FormControl {
        type.json == "integer" || type.json == "number" ? .number : .text
    }

    private static func count(from low: Int, to high: Int) -> Int {
        let (distance, overflow) = high.subtractingReportingOverflow(low)
        return overflow || distance == Int.max ? Int.max : distance + 1
    }

    private static func highestInteger(_ constraint: ValueConstraint) -> Int? {
        if let maximum = constraint.maximum { return Int(maximum) }
        guard let end = constraint.exclusiveMaximum.flatMap({ Int($0) }), end > Int.min else { return nil }
        return end - 1
    }

    private static let optionalBoolean = [
        Choice(input: "", title: FormTexts.none), Choice(input: "true", title: FormTexts.whenTrue),
        Choice(input: "false", title: FormTexts.whenFalse),
    ]

    private static func choices(_ texts: [String], _ type: ValueDescription) -> [Choice] {
        let none = type.isOptional ? [Choice(input: "", title: FormTexts.none)] : []
        return none
            + texts.map { text in
                let input = type.input(ofText: text)
                if let name = type.caseNames[text] {
                    return Choice(input: input, title: FormTitle.title(ofWords: name))
                }
                return Choice(input: input, title: input, isValue: true)
            }
    }
}
