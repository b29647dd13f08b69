import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("Turns with a cloud")
struct CoordinationTests {
    @Test("The files of replicas are read and replaced in turn with a cloud, and those of the state are not")
    func files() throws {
        try withTemporaryDirectory { directory in
            let (shared, fileSystem) = (directory + "/shared", FaultyFileSystem())
            let other = try DirectoryStore(
                directory: shared, state: directory + "/state1", fileSystem: POSIXFileSystem())
            try other.set(key("a"), to: Data("1".utf8))
            try other.synchronize()
            let path = "\(shared)/\(try names(in: shared)[0])"
            let store = try DirectoryStore(directory: shared, state: directory + "/state2", fileSystem: fileSystem)
            try store.set(key("b"), to: Data("2".utf8))
            for _ in 0..<2 { try store.synchronize() }
            let coordinated = fileSystem.coordinated
            #expect(coordinated.filter { $0.path == path }.map(\.access) == [.reading])
            #expect(coordinated.contains { $0.access == .replacing })
            #expect(coordinated.allSatisfy { $0.path.hasPrefix("\(shared)/Settings-") })
        }
    }
}
