import SettingsKitCore
import SettingsTestKit
import Testing

/// File systems that tests make fail, each by the path of the store that uses it.
package final class FaultyFileSystems: Sendable {
    private let fileSystems = Mutex<[String: FaultyFileSystem]>([:])

    package init() {}

    /// A new one, for the store at a path.
    package func make(for path: String) -> FaultyFileSystem {
        let fileSystem = FaultyFileSystem()
        fileSystems.withLock { $0[path] = fileSystem }
        return fileSystem
    }

    /// Has all calls that change something fail, as on a full disk.
    ///
    /// - Returns: a function that ends that.
    package func makeUnwritable(_ path: String, errno: Int32) throws -> @Sendable () throws -> Void {
        let fileSystem = try #require(fileSystems.withLock { $0[path] })
        let calls = FaultyFileSystem.Call.allCases.filter(\.isWriting) + [.openForAppending, .truncate]
        fileSystem.set(.calls(Set(calls), errno: errno))
        return { fileSystem.set(.none) }
    }
}

extension StoreConformanceReport {
    /// The groups of the rules that were not checked: the first words of their names.
    package var skippedGroups: Set<String> {
        Set(
            skipped.map {
                $0.rule.id.hasPrefix("durability.killed") ? "killed" : String($0.rule.id.prefix { $0 != "." })
            })
    }
}

/// Has a worker write to the store at a path, and kills it.
package func killWriter(at path: String) async throws -> Int {
    try await StoreConformance.runAndKill(try Worker.path(), ["conformance", path])
}
