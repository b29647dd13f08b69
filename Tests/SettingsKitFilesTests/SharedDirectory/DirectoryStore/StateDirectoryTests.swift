import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("A local state")
struct StateDirectoryTests {
    /// Nothing goes on in the background, where it would go on after the store has gone.
    private func store(_ directory: String, state: String) throws -> DirectoryStore {
        try DirectoryStore(directory: directory, state: state, fileSystem: POSIXFileSystem())
    }

    @Test("A local state is refused with a second directory while the first has its replica's file")
    func isRefusedWithA() throws {
        try withTemporaryDirectory { directory in
            let state = directory + "/state"
            do {
                let store = try store(directory + "/first", state: state)
                try store.set(key("a"), to: Data("1".utf8))
                try store.synchronize()
            }
            let error = #expect(throws: SettingsError.self) { _ = try store(directory + "/second", state: state) }
            #expect(error?.code == .storeUnavailable)
            #expect(error.map { "\($0)".contains(directory + "/first") } == true)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory + "/second")) ?? []
            #expect(names.isEmpty)
            // The first is still good.
            #expect(try store(directory + "/first", state: state).get(key("a")) == Data("1".utf8))
        }
    }

    @Test(
        "A local state goes along with a directory that was moved", arguments: [true, false])
    func goesAlongWithA(isMoved: Bool) throws {
        try withTemporaryDirectory { directory in
            let (first, second, state) = (directory + "/first", directory + "/second", directory + "/state")
            do {
                let store = try store(first, state: state)
                try store.set(key("a"), to: Data("1".utf8))
                try store.synchronize()
            }
            if isMoved {
                try FileManager.default.moveItem(atPath: first, toPath: second)
            } else {
                // Another name for the same one.
                try FileManager.default.createSymbolicLink(atPath: second, withDestinationPath: first)
            }
            for _ in 0..<2 {
                let store = try store(second, state: state)
                try store.synchronize()
                #expect(store.get(key("a")) == Data("1".utf8))
                #expect(store.replicas.count == 1)
            }
        }
    }

    @Test(
        "A local state is refused inside the shared directory, by whatever path",
        arguments: ["state", "link/state", "real/deep/state"])
    func isRefusedInsideThe(path: String) throws {
        try withTemporaryDirectory { directory in
            let shared = directory + "/shared"
            try FileManager.default.createDirectory(atPath: shared + "/deep", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: directory + "/link", withDestinationPath: shared)
            try FileManager.default.createSymbolicLink(atPath: directory + "/real", withDestinationPath: shared)
            let state = path == "state" ? shared + "/state" : directory + "/" + path
            let error = #expect(throws: SettingsError.self) { _ = try store(shared, state: state) }
            #expect(error?.code == .storeUnavailable)
            #expect(error.map { "\($0)".contains("inside the shared directory") } == true)
            // The other way round: the shared directory is what the link names.
            guard path != "state" else { return }
            let other = #expect(throws: SettingsError.self) {
                _ = try store(directory + "/link", state: shared + "/other")
            }
            #expect(other?.code == .storeUnavailable)
        }
    }
}
