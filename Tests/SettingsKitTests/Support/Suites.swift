import Foundation
import SettingsKit
import Testing

/// Runs `body` with the name of an unused suite, and removes the suite afterwards.
@discardableResult
func withSuite<R>(_ body: (String) throws -> R) throws -> R {
    let name = "org.example.settings-test-\(UUID().uuidString)"
    defer { removeSuite(name) }
    return try body(name)
}

/// Runs `body` with the name of an unused suite, and removes the suite afterwards.
@discardableResult
func withSuite<R>(_ body: (String) async throws -> R) async throws -> R {
    let name = "org.example.settings-test-\(UUID().uuidString)"
    defer { removeSuite(name) }
    return try await body(name)
}

/// Removes a suite's values and, where that is known, its file.
func removeSuite(_ name: String) {
    UserDefaults(suiteName: name)?.removePersistentDomain(forName: name)
    #if os(Linux)
        // A missing file is no error here.
        for file in filesOfSuite(name) { try? FileManager.default.removeItem(at: file) }
    #endif
}

/// Where UserDefaults on Linux keeps a suite.
func filesOfSuite(_ name: String) -> [URL] {
    let environment = ProcessInfo.processInfo.environment
    var directories = [NSHomeDirectory() + "/.config", NSHomeDirectory() + "/Library/Preferences"]
    if let home = environment["HOME"] { directories.append(home + "/.config") }
    if let config = environment["XDG_CONFIG_HOME"] { directories.append(config) }
    return Set(directories).flatMap { directory in
        ["\(name).plist", "\(name)"].map { URL(fileURLWithPath: directory).appendingPathComponent($0) }
    }.filter { FileManager.default.fileExists(atPath: $0.path) }
}
