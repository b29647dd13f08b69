import SettingsCommandLine
import SettingsKit

/// Settings as the dictionary of a property list, in the form of a property-list store.
///
/// Bytes become a native value if that restores exactly the same bytes, and data otherwise. Types from a property list stay:
/// dates, real numbers, data inside collections. Files are read by the stores' bounded reader.
enum PropertyListTransfer {
    /// - Throws: an error of the codec if a name contains NUL.
    static func text(of settings: StoredSettings) throws(PropertyListError) -> String {
        let members = settings.values.sorted { $0.key < $1.key }
            .map { PropertyListMember(key: $0.key, value: settings.types?[$0.key] ?? NativeValue.value(for: $0.value)) }
        return String(decoding: try XMLPropertyListWriter.write(members), as: UTF8.self)
    }

    static func read(_ file: Data) throws(PropertyListError) -> TransferredSettings {
        var settings = TransferredSettings(stored: StoredSettings(types: [:]))
        for member in try PropertyListReader.readDictionary(file) { settings.add(member.key, member.value) }
        return settings
    }
}
