import Foundation
import Testing

/// A directory of its own for one test, removed afterwards.
func withTemporaryDirectory<R>(_ body: (URL) async throws -> R) async throws -> R {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "SettingsSQLiteTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer {
        // Something in the background may still have a database for a moment, and removes files itself when it closes it.
        var attempts = 0
        while attempts < 100, (try? FileManager.default.removeItem(at: directory)) == nil { attempts += 1 }
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }
    return try await body(directory)
}
