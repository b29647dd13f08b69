/// A Boolean: the words that stand for its values.
extension Bool: TextValue {
    static func value(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: nil
        }
    }

    var text: String? { self ? "true" : "false" }
    static var textType: ValueDescription {
        ValueDescription("true or false", json: "boolean")
    }
}
