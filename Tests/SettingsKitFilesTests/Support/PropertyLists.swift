import SettingsKitFiles

/// The members of the property list at a path; fails where it is not a complete property list.
func members(of path: String) throws -> [String: PropertyListValue] {
    let members = try PropertyListReader.readDictionary(bytes(of: path))
    return Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
}

/// A property list in XML whose root is a dictionary with the given text in it.
func xml(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>\(body)</dict></plist>
    """
}

/// Runs `body` with the path of a property list, which is not there yet, in a directory of its own.
func withPropertyList<R>(_ body: (String) throws -> R) throws -> R {
    try withTemporaryDirectory { try body($0 + "/Settings.plist") }
}

/// Runs `body` with the path of a property list, which is not there yet, in a directory of its own.
func withPropertyList<R>(_ body: (String) async throws -> R) async throws -> R {
    try await withTemporaryDirectory { try await body($0 + "/Settings.plist") }
}
