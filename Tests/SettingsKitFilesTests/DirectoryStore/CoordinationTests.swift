import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("Turns with a cloud")
struct CoordinationTests {
    private func open(_ shared: String, _ state: String, _ fileSystem: any FileSystem) throws -> DirectoryStore {
        try DirectoryStore(directory: shared, state: state, fileSystem: fileSystem, options: .init(), isWatching: false)
    }

    @Test("The files of replicas are read and replaced in turn with a cloud, and those of the state are not")
    func files() throws {
        try withTemporaryDirectory { directory in
            let shared = directory + "/shared"
            let other = try open(shared, directory + "/state1", POSIXFileSystem())
            try other.set(key("a"), to: Data("1".utf8))
            try other.synchronize()
            let file = try #require(try FileManager.default.contentsOfDirectory(atPath: shared).first)
            let fileSystem = FaultyFileSystem()
            let store = try open(shared, directory + "/state2", fileSystem)
            try store.set(key("b"), to: Data("2".utf8))
            try store.synchronize()
            #expect(store.get(key("a")) == Data("1".utf8))
            let coordinated = fileSystem.coordinated
            #expect(coordinated.contains { $0.access == .reading && $0.path == "\(shared)/\(file)" })
            let replaced = Set(coordinated.filter { $0.access == .replacing }.map(\.path))
            #expect(!replaced.isEmpty && !replaced.contains("\(shared)/\(file)"))
            #expect(coordinated.allSatisfy { $0.path.hasPrefix("\(shared)/Settings-") })
            // A file that has not changed needs no turn.
            try store.synchronize()
            #expect(fileSystem.coordinated.count { $0.path == "\(shared)/\(file)" } == 1)
        }
    }

    @Test("A failure inside of a turn is that of the access")
    func failure() throws {
        try withTemporaryDirectory { directory in
            let fileSystem = FaultyFileSystem()
            let store = try open(directory + "/shared", directory + "/state", fileSystem)
            try store.synchronize()
            fileSystem.set(.writing(in: directory + "/shared", errno: ENOSPC))
            try store.set(key("a"), to: Data("1".utf8))
            #expect(throws: SettingsError.self) { try store.synchronize() }
            fileSystem.set(.none)
            try store.synchronize()
            #expect(!store.report.hasUnexportedChanges)
        }
    }
}
