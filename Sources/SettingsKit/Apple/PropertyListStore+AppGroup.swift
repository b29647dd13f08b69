#if canImport(SwiftUI)
    import Foundation
    import SettingsKitCore
    import SettingsKitFiles
    // The stub module for type-checking without Apple's SDK has declarations that Foundation lacks there.
    import SwiftUI

    extension PropertyListStore {
        /// Opens the property list of an app group, which an app shares with its extensions and widgets.
        ///
        /// The file is `Library/Application Support/Settings.plist` in the group's container.
        ///
        /// On macOS, the system names a container for any group. A sandboxed app cannot open the file if it is not entitled to the
        /// group. An app without a sandbox can, and shares it with no other program if the name has a typing error.
        ///
        /// - Throws: ``SettingsError`` with the code `storeUnavailable` if the file cannot be read, or if the app is not entitled
        ///   to the group. For an app without a sandbox on macOS, the latter is no error.
        public convenience init(appGroup identifier: String, access: Access = .readWrite) throws {
            let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier)
            guard let container else {
                throw SettingsError(.storeUnavailable, store: "PropertyListStore of the app group \(identifier)")
            }
            try self.init(
                url: container.appendingPathComponent("Library/Application Support/Settings.plist"), access: access)
        }
    }
#endif
