import Foundation
import SettingsKitCore
import Testing

@Suite("What cannot be opened or written", .timeLimit(Rounds.timeLimit), .ownThreads)
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
            let question = SettingsStoreBatch(
                writes: [], expectations: [expectation], options: .init(waitsForAgreement: false))
            #expect(try store.apply(question))
            for store in [store, writing, try medium.fresh()] { #expect(try store.texts == ["a": "2"]) }
        }
    }

    /// Gives the files of a medium and their directories permissions.
    private func setPermissions(_ files: mode_t, _ directories: mode_t, in directory: String) throws {
        try #require(chmod(directory, directories) == 0)
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            let path = directory + "/" + name
            let isDirectory = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            try #require(chmod(path, isDirectory == .typeDirectory ? directories : files) == 0)
        }
    }

    @Test(
        "A user who may only read the files gets the values, and a set is refused and changes nothing",
        .enabled(if: getuid() == 0), arguments: [StoreKind.propertyList, .database])
    func permissions(kind: StoreKind) async throws {
        try await withTemporaryDirectory { directory in
            let medium = kind.medium(in: directory)
            let holder = try medium.open()
            try holder.set(key("a"), to: Data("1".utf8))
            try holder.synchronize()
            try setPermissions(0o644, 0o755, in: directory)
            await #expect(processExitsWith: .success) {
                [kind = kind as StoreKind, directory = directory as String] in
                guard setuid(65_534) == 0 else { Foundation.exit(2) }
                let store = try kind.medium(in: directory).open()
                let key = SettingsService.StorageKey("a", scope: .defaults)
                guard try store.get(key) == Data("1".utf8) else { Foundation.exit(3) }
                do {
                    try store.set(key, to: Data("\"secret\"".utf8))
                    Foundation.exit(4)
                } catch {
                    guard "\(error)".contains(directory), !"\(error)".contains("secret") else { Foundation.exit(5) }
                }
                Foundation.exit(try store.get(key) == Data("1".utf8) ? 0 : 6)
            }
            #expect(try holder.text("a") == "1" && medium.fresh().text("a") == "1")
        }
    }

    @Test(
        "A user who may not read the files cannot open the store", .enabled(if: getuid() == 0),
        arguments: StoreKind.allCases)
    func unreadable(kind: StoreKind) async throws {
        try await withTemporaryDirectory { directory in
            try await Worker.run("set", kind.medium(in: directory).path, "a", "1")
            try setPermissions(0o600, 0o777, in: directory)
            await #expect(processExitsWith: .success) {
                [kind = kind as StoreKind, directory = directory as String] in
                guard setuid(65_534) == 0 else { Foundation.exit(2) }
                do {
                    _ = try kind.medium(in: directory).open()
                    Foundation.exit(3)
                } catch let error as SettingsError {
                    Foundation.exit(error.code == .storeUnavailable && "\(error)".contains(directory) ? 0 : 4)
                }
            }
            #expect(try kind.medium(in: directory).fresh().text("a") == "1")
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
