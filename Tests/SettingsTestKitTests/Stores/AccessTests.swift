import Foundation
import SettingsKitCore
import Testing

@Suite("A store that cannot be opened or written", .timeLimit(Rounds.timeLimit), .ownThreads)
struct AccessTests {
    @Test(
        "A store that is only read has the values and follows them, and every way to write throws readOnly",
        arguments: StoreKind.allCases)
    func readOnly(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let writing = try medium.open()
            try writing.set(key("a"), to: Data("1".utf8))
            try writing.synchronize()
            let store = try medium.open(access: .readOnly)
            #expect(try store.texts == ["a": "1"])
            try writing.set(key("a"), to: Data("2".utf8))
            try writing.synchronize()
            try store.synchronize()
            let entry = SettingsStoreBatch.Entry(key: key("a"), data: nil)
            let attempts: [() throws -> Void] = [
                { try store.set(key("a"), to: nil) }, { _ = try store.apply(SettingsStoreBatch(writes: [entry])) },
                { try store.removeAll() },
            ]
            for attempt in attempts {
                let error = #expect(throws: SettingsError.self) { try attempt() }
                #expect(error?.code == .readOnly && error?.description.contains(medium.path) == true)
            }
            let expectation = SettingsStoreBatch.Entry(key: key("a"), data: Data("2".utf8))
            let question = SettingsStoreBatch(writes: [], expectations: [expectation])
            #expect(try store.apply(question))
            for store in [store, writing, try medium.fresh()] { #expect(try store.texts == ["a": "2"]) }
        }
    }

    /// What can be at the path of a store that is no file, or no directory, of it.
    enum Obstacle: String, CaseIterable, CustomTestStringConvertible {
        case directory, file, fifo, belowAFile, device

        var testDescription: String { rawValue }

        /// Makes it, and returns its path.
        func make(in directory: String) throws -> String {
            let path = directory + "/obstacle"
            switch self {
            case .directory: try makeDirectory(path)
            case .file: try write("mine", to: path)
            case .fifo: try #require(mkfifo(path, 0o600) == 0)
            case .belowAFile:
                try write("mine", to: path)
                return path + "/below"
            case .device: return "/dev/zero"
            }
            return path
        }

        /// Whether a store finds it when it is opened, and not only when it is written.
        func isFoundAtOpening(_ kind: StoreKind) -> Bool {
            switch (kind, self) {
            case (.propertyList, .file), (.propertyList, .belowAFile): false
            // A file of another kind is an error of its own: see the tests of databases.
            case (.database, .file): false
            // Its state would be among the devices.
            case (.sharedDirectory, .device), (.sharedDirectory, .directory): false
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
                    return error.code == .storeUnavailable && error.description.contains(path)
                }
            }
            #expect(isRefused)
            if obstacle == .file || obstacle == .belowAFile {
                #expect(try bytes(of: directory + "/obstacle") == Data("mine".utf8))
            }
        }
    }

    @Test("A URL that is no path of a file is refused", arguments: StoreKind.allCases)
    func otherURL(kind: StoreKind) throws {
        for text in ["https://example.org/Settings.plist", "data:,x"] {
            let url = try #require(URL(string: text))
            #expect(thrownCode { try kind.open(at: url) } == .storeUnavailable)
        }
        try withTemporaryDirectory { directory in
            guard let url = URL(string: "file://\(directory)/a%00b") else { return }
            let code = thrownCode { try kind.open(at: url).set(key("a"), to: Data("1".utf8)) }
            #expect(code == nil || code == .storeUnavailable)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(!names.contains("a"))
        }
    }
}
