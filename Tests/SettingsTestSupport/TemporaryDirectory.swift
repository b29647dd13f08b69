import Foundation
import Testing

/// Runs `body` with the path of a new directory, which is removed afterwards.
@discardableResult
package func withTemporaryDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let path = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(path) }
    return try body(path)
}

/// Runs `body` with the path of a new directory, which is removed afterwards.
@discardableResult
package func withTemporaryDirectory<R>(_ body: (String) async throws -> R) async throws -> R {
    let path = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(path) }
    return try await body(path)
}

/// Runs `body` with the URL of a new directory, which is removed afterwards; fails where it cannot be removed.
package func withTemporaryFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
    let path = try makeTemporaryDirectory()
    defer {
        // Something in the background may still have a database for a moment, and removes files itself when it closes it.
        var attempts = 0
        while attempts < 100, FileManager.default.fileExists(atPath: path) {
            removeTemporaryDirectory(path)
            attempts += 1
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
    return try await body(URL(fileURLWithPath: path, isDirectory: true))
}

private func makeTemporaryDirectory() throws -> String {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    return url.resolvingSymlinksInPath().path
}

private func removeTemporaryDirectory(_ path: String) {
    // A directory that cannot be removed stays in the system's directory for temporary files.
    try? FileManager.default.removeItem(atPath: path)
}
