import Foundation

/// Runs `body` with the path of a new directory, which is removed afterwards.
@discardableResult
func withTemporaryDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let path = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(path) }
    return try body(path)
}

/// Runs `body` with the path of a new directory, which is removed afterwards.
@discardableResult
func withTemporaryDirectory<R>(_ body: (String) async throws -> R) async throws -> R {
    let path = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(path) }
    return try await body(path)
}

private func makeTemporaryDirectory() throws -> String {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    return url.resolvingSymlinksInPath().path
}

private func removeTemporaryDirectory(_ path: String) {
    // Whatever cannot be removed stays in the system's directory for temporary files.
    try? FileManager.default.removeItem(atPath: path)
}
