import SettingsCommandLine
import SettingsKit

/// A file format that settings are exported to or imported from.
enum TransferFormat: String, CaseIterable, Sendable {
    /// A property list, as stores, `defaults export` and `UserDefaults` write it. Written as XML; read as XML or binary.
    case plist
    /// An object in JSON; see ``JSONTransfer``.
    case json
    /// A file of variables; see ``EnvironmentTransfer``. Only read.
    case env

    /// The formats that can be written.
    static let written: [TransferFormat] = [.plist, .json]

    /// Returns the format for the extension of a file's name; nil for any other extension.
    init?(path: String) {
        guard let suffix = SettingsFileFormat.suffix(ofFile: path) else { return nil }
        self.init(rawValue: suffix)
    }
}

/// The settings of a store or a file: the stored bytes of each name, and the types that bytes do not show.
struct StoredSettings: Equatable, Sendable {
    var values: [String: Data] = [:]
    /// The values whose types their bytes do not show: a date, a whole real number, data inside a collection. Nil for settings
    /// that do not come from a property list.
    var types: [String: PropertyListValue]?

    /// The native value under a name; nil if the settings do not come from a property list.
    func native(_ name: String) -> PropertyListValue? {
        types.flatMap { types in types[name] ?? values[name].map { NativeValue.value(for: $0) } }
    }
}

/// Settings outside a store.
struct TransferredSettings: Equatable, Sendable {
    var stored = StoredSettings()
    /// The names of settings that cannot be imported, each with the reason, in the order of the file.
    var unsupported: [String] = []

    var values: [String: Data] { stored.values }

    /// Adds a setting. A later value of a name replaces an earlier one.
    mutating func add(_ name: String, _ value: Data) {
        if SettingsService.StorageKey.isValid(name) {
            stored.values[name] = value
            stored.types?[name] = nil
        } else {
            unsupported.append("\(quoted(name)): no setting can have this name.")
        }
    }

    /// Adds a member of a property list, with its type.
    mutating func add(_ name: String, _ value: PropertyListValue) {
        add(name, NativeValue.bytes(of: value))
        if value.hasKindOfItsOwn, stored.values[name] != nil { stored.types?[name] = value.writable }
    }
}

extension TransferFormat {
    /// Writes settings in the format, which must be among ``written``.
    func text(of settings: StoredSettings) throws -> String {
        switch self {
        case .plist: try PropertyListTransfer.text(of: settings)
        case .json: JSONTransfer.text(of: settings.values)
        case .env: throw CommandFailure.usage("The format env can only be read. Export plist or json.")
        }
    }

    /// Reads settings from a file of the format.
    ///
    /// - Parameters:
    ///   - stored: The store's settings, which determine the meaning of variables.
    ///   - prefix: The beginning of the variables.
    func read(
        _ file: Data, over stored: [String: Data], prefix: String = ""
    ) throws -> TransferredSettings {
        switch self {
        case .plist: try PropertyListTransfer.read(file)
        case .json: try JSONTransfer.read(file)
        case .env: try EnvironmentTransfer.read(file, over: stored, prefix: prefix)
        }
    }
}
