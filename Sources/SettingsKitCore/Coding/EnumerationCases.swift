/// The cases of an enumeration: the texts of their raw values, and their names.
struct EnumerationCases {
    /// The texts, in the order of `allCases`.
    private(set) var texts: [String] = []
    /// The names, by text, for titles; empty for a type that is no enumeration.
    ///
    /// A name is the raw value if that spells the name of the case (`"HD"` of `hd`, `"dark-mode"` of `darkMode`), and the
    /// name of the case otherwise (`low` of 1, `english` of `"en-US"`).
    private(set) var names: [String: String] = [:]

    init<Cases: CaseIterable>(of type: Cases.Type) {
        for value in type.allCases {
            guard let raw = (value as? any RawRepresentable)?.rawValue as? any TextValue, let text = raw.text
            else { continue }
            texts.append(text)
            guard Mirror(reflecting: value).displayStyle == .enum else { continue }
            // A custom description need not have the name.
            if let name = value is any CustomStringConvertible ? nil : String(describing: value) {
                names[text] = Self.spelling(text) == Self.spelling(name) ? text : name
            } else if raw is String {
                names[text] = text
            }
        }
        // Without the metadata for reflection, all cases have the name of their type.
        if Set(names.values).count < names.count { names = [:] }
    }

    private static func spelling(_ text: String) -> String {
        text.filter { $0.isLetter || $0.isNumber }.lowercased()
    }
}
