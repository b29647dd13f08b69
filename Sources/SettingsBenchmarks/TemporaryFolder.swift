import Foundation
import SettingsKit

/// A directory for one measurement, removed when the program ends.
struct TemporaryFolder {
    // Before any store, so that it is removed after all of them have written their last changes.
    private static let root: URL = {
        atexit { try? FileManager.default.removeItem(at: TemporaryFolder.root) }
        return FileManager.default.temporaryDirectory.appendingPathComponent("settings-benchmarks-\(UUID().uuidString)")
    }()

    let url: URL

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
        try store.fill(keyCount)
        try store.synchronize()
        return store
    }
}

extension SettingsStore {
    /// Stores a text under each of a number of keys.
    func fill(_ keyCount: Int, scope: SettingsService.Scope = .defaults) throws {
        let writes = (0..<keyCount).map { number in
            SettingsStoreBatch.Entry(
                key: .init("setting number \(number)", scope: scope), data: Data("\"value \(number)\"".utf8))
        }
        _ = try apply(SettingsStoreBatch(writes: writes))
    }
}
