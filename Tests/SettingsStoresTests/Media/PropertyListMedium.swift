import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform

struct PropertyListMedium: StoreMedium {
    let path: String
    private let fileSystem = FaultyFileSystem()

    init(in directory: String) { path = directory + "/Settings.plist" }

    static func open(at url: URL, access: SettingsStoreAccess, patience: Duration) throws -> any SettingsStore {
        try PropertyListStore(url: url, access: access, patience: patience)
    }

    func fresh() throws -> any SettingsStore { try PropertyListStore(path: path, fileSystem: POSIXFileSystem()) }

    func independent() throws -> any SettingsStore {
        try PropertyListStore(
            path: path, fileSystem: POSIXFileSystem(), isWatching: true, writingDelay: .milliseconds(5),
            patience: .seconds(60), lag: .zero)
    }

    func openBreakable() throws -> any SettingsStore { try PropertyListStore(path: path, fileSystem: fileSystem) }

    func makeUnwritable() -> Repair { fileSystem.makeUnwritable() }

    func makeUnreadable() throws -> Repair { try SettingsTestSupport.makeUnreadable(path) }

    func lock() throws -> Repair { try lock(propertyListAt: path) }

    func check() throws {
        // Only what has been folded is in the property list.
        if FileManager.default.fileExists(atPath: path) { _ = try PropertyListReader.readDictionary(bytes(of: path)) }
    }
}
