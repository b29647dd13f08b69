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
        object(try PropertyListReader.readDictionary(data))
    }

    private static func object(_ members: [PropertyListMember]) -> FileValue {
        FileValue(members.map { ($0.key, value($0.value)) }, form: .stored) { _ in
            NativeValue.bytes(of: .dictionary(members))
        }
    }

    private static func value(_ value: PropertyListValue) -> FileValue {
        if case .dictionary(let members) = value { return object(members) }
        return FileValue(.known(NativeValue.bytes(of: value)), form: .stored)
    }
}
