import SettingsKitCore

/// The reason why data is too large to be stored.
enum TooMuch: ValueFreeError {
    case contents(limit: Int)
    case propertyList(limit: Int)

    var description: String {
        switch self {
        case .contents(let limit):
            "The names and values of one property list take at most \(limit) bytes; store large data in files."
        case .propertyList(let limit):
            "As a property list, the settings take more than \(limit) bytes; store large data in files."
        }
    }
}
