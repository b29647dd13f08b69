import Foundation
import SettingsKitCore
import Testing

@Suite("The path of a store", .timeLimit(Rounds.timeLimit), .ownThreads)
struct PathTests {
    /// What can be at the path of a store that is no file, or no directory, of it.
    enum Obstacle: String, CaseIterable, CustomTestStringConvertible {
        case directory, file, fifo, linkToFIFO, belowAFile, belowAFIFO, device, endlessDevice

        var testDescription: String { rawValue }

        /// Makes it, and returns its path.
        func make(in directory: String) throws -> String {
            let path = directory + "/obstacle"
            switch self {
            case .directory: try makeDirectory(path)
            case .file: try write("mine", to: path)
            case .fifo: try #require(mkfifo(path, 0o600) == 0)
            case .linkToFIFO:
                try #require(mkfifo(directory + "/fifo", 0o600) == 0)
                try link(path, to: "fifo")
            case .belowAFile:
                try write("mine", to: path)
                return path + "/below"
            case .belowAFIFO:
                try #require(mkfifo(path, 0o600) == 0)
                return path + "/below"
            case .device: return "/dev/null"
            case .endlessDevice: return "/dev/zero"
            }
            return path
        }

        /// Whether a store finds it when it is opened, and not only when it is written.
        func isFoundAtOpening(_ kind: StoreKind) -> Bool {
            switch (kind, self) {
            case (.propertyList, .file), (.propertyList, .belowAFile), (.propertyList, .belowAFIFO): false
            // A file of another kind is an error of its own: see the tests of databases.
            case (.database, .file): false
            // Its state would be among the devices.
            case (.sharedDirectory, .device), (.sharedDirectory, .endlessDevice): false
            case (.sharedDirectory, .directory): false
            default: true
            }
        }
    }

    @Test(
        "What is no file or directory makes the store unavailable at once, and stays as it is",
        arguments: StoreKind.allCases, Obstacle.allCases)
    func obstacle(kind: StoreKind, obstacle: Obstacle) async throws {
        guard obstacle.isFoundAtOpening(kind) else { return }
        try await withTemporaryDirectory { directory in
            let path = try obstacle.make(in: directory)
            // Opening a directory waits a second for the first look, which takes longer on a busy machine.
            let isRefused = try await eventually {
                do {
                    _ = try kind.open(at: URL(fileURLWithPath: path))
                    return false
                } catch let error as SettingsError {
                    // A database's is the path that links lead to.
                    let isNamed = [path, directory].contains { error.description.contains($0) }
                    return error.code == .storeUnavailable && isNamed
                }
            }
            #expect(isRefused)
            if obstacle == .file || obstacle == .belowAFile {
                #expect(try bytes(of: directory + "/obstacle") == Data("mine".utf8))
            }
        }
    }

    @Test(
        "A URL that is not a file URL is refused", arguments: StoreKind.allCases,
        ["https://example.org/Settings.plist", "data:,x"])
    func otherURL(kind: StoreKind, text: String) throws {
        let url = try #require(URL(string: text))
        #expect(thrownCode { try kind.open(at: url) } == .storeUnavailable)
    }

    @Test("A path with a NUL in it is refused, not cut off there", arguments: StoreKind.allCases)
    func pathWithNUL(kind: StoreKind) throws {
        try withTemporaryDirectory { directory in
            guard let url = URL(string: "file://\(directory)/a%00b") else { return }
            do {
                let store = try kind.open(at: url)
                try store.set(key("a"), to: Data("1".utf8))
                try store.synchronize()
            } catch let error as SettingsError {
                #expect(error.code == .storeUnavailable)
            }
            #expect(try !FileManager.default.contentsOfDirectory(atPath: directory).contains("a"))
        }
    }
}
