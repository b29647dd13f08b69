import Foundation
import SettingsKit
import SettingsKitFiles
import SettingsKitPlatform

/// A directory for one measurement, removed when the program ends.
struct TemporaryFolder {
    // Before any store, so that it is removed after all of them have written their last changes.
    private static let root: URL = {
        atexit { try? FileManager.default.removeItem(at: TemporaryFolder.root) }
        return FileManager.default.temporaryDirectory.appendingPathComponent("settings-benchmarks-\(UUID().uuidString)")
    }()

    let url: URL

    init(existing url: URL) { self.url = url }

    init() throws {
        url = Self.root.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// A file of the directory.
    subscript(name: String) -> URL { url.appendingPathComponent(name) }

    var file: URL { self["Settings.plist"] }

    /// A property list with a text under each of a number of keys.
    func propertyList(keyCount: Int) throws -> PropertyListStore {
        let store = try PropertyListStore(url: file)
        try store.fill(0..<keyCount)
        try store.synchronize()
        return store
    }
}

/// A directory in it that stores share.
extension TemporaryFolder {
    var directory: URL { self["shared"] }

    /// A store without background work, so that each operation is measured once.
    func store(_ state: String) throws -> DirectoryStore {
        try DirectoryStore(directory: directory.path, state: self[state].path, fileSystem: POSIXFileSystem())
    }
}

extension SettingsStore {
    /// Stores a text under each of some numbers.
    func fill(
        _ numbers: Range<Int>, scope: SettingsService.Scope = .defaults, _ text: (Int) -> String = { "value \($0)" }
    ) throws {
        let writes = numbers.map { number in
            SettingsStoreBatch.Entry(
                key: .init("setting number \(number)", scope: scope), data: Data("\"\(text(number))\"".utf8))
        }
        _ = try apply(SettingsStoreBatch(writes: writes))
    }
}
