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
