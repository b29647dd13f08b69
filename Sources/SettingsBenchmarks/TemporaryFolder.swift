import Foundation

/// A directory for one measurement, removed with this object.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("settings-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    var file: URL { url.appendingPathComponent("Settings.plist") }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            print("The benchmark's directory \(url.path) could not be removed: \(error)")
        }
    }
}
