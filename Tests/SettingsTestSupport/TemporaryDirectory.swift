import Foundation
import Testing

/// Runs `body` with the path of a new directory, which is removed afterwards.
@discardableResult
package func withTemporaryDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let path = try TemporaryDirectories.make()
    defer { TemporaryDirectories.remove(path) }
    return try body(path)
}

/// Runs `body` with the path of a new directory, which is removed afterwards.
@discardableResult
package func withTemporaryDirectory<R>(_ body: (String) async throws -> R) async throws -> R {
    let path = try TemporaryDirectories.make()
    defer { TemporaryDirectories.remove(path) }
    return try await body(path)
}

/// Runs `body` with the URL of a new directory, which is removed afterwards; fails where it cannot be removed.
package func withTemporaryFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
    let path = try TemporaryDirectories.make()
    defer {
        // Something in the background may still have a database for a moment, and removes files itself when it closes it.
        var attempts = 0
        while attempts < 100, FileManager.default.fileExists(atPath: path) {
            TemporaryDirectories.remove(path)
            attempts += 1
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
    return try await body(URL(fileURLWithPath: path, isDirectory: true))
}

private enum TemporaryDirectories {
    /// The directory of those of this process.
    ///
    /// It is removed when the process ends. A store that a task or a thread keeps for longer than its test lasts writes again when it
    /// is released, or when the process ends, and makes its directory for that.
    private static let root: Result<String, any Error> = Result {
        let name = "settings-\(UUID().uuidString.prefix(8))"
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try makeDirectory(url)
        // Registered before the stores' own, so it runs after them.
        atexit { if let path = try? TemporaryDirectories.root.get() { TemporaryDirectories.remove(path) } }
        return url.resolvingSymlinksInPath().path
    }

    static func make() throws -> String {
        let url = URL(fileURLWithPath: try root.get()).appendingPathComponent("\(UUID().uuidString.prefix(13))")
        try makeDirectory(url)
        return url.path
    }

    private static func makeDirectory(_ url: URL) throws {
        // Also for the processes of other users.
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: attributes)
    }

    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
