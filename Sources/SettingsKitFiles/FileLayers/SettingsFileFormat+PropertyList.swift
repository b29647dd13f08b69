import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsFileFormat {
    /// A property list in XML or the binary format. The suffix is `plist`.
    ///
    /// The values are those that a ``PropertyListStore`` reads. A nested dictionary has the values of settings whose names have one
    /// level more, and can be the value of one setting.
    ///
    /// If programs write the file with a ``PropertyListStore``, use a store that is opened for reading only as the layer: it also
    /// reads the log with the newest changes.
    public static let propertyList = SettingsFileFormat(matching: .exact) { data in
        Contents(values(try PropertyListReader.readDictionary(data)))
    }

    private static func values(_ members: [PropertyListMember]) -> [String: FileValue] {
        Dictionary(members.map { ($0.key, value($0.value)) }) { $1 }
    }

    private static func value(_ value: PropertyListValue) -> FileValue {
        guard case .dictionary(let members) = value else {
            return FileValue(form: .stored, NativeValue.bytes(of: value))
        }
        return FileValue(members: values(members), form: .stored, NativeValue.bytes(of: value))
    }
}
