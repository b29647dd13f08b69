import Foundation
import SettingsKitCore
import Testing

@Suite("A store that is only read", .timeLimit(Rounds.timeLimit), .ownThreads)
struct ReadOnlyTests {
    @Test(
        "A store that is only read has the values and follows them, and every way to write throws readOnly",
        arguments: StoreKind.allCases)
    func values(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let writing = try medium.open()
            try writing.set(key("a"), to: Data("1".utf8))
            try writing.synchronize()
            let store = try medium.open(access: .readOnly)
            #expect(try store.texts == ["a": "1"])
            try writing.set(key("a"), to: Data("2".utf8))
            try writing.synchronize()
            try store.synchronize()
            #expect(try store.texts == ["a": "2"])
            let entry = SettingsStoreBatch.Entry(key: key("a"), data: nil)
            let attempts: [() throws -> Void] = [
                { try store.set(key("a"), to: nil) }, { _ = try store.apply(SettingsStoreBatch(writes: [entry])) },
                { try store.removeAll() },
            ]
            for attempt in attempts {
                let error = #expect(throws: SettingsError.self) { try attempt() }
                #expect(error?.code == .readOnly && error?.description.contains(medium.path) == true)
            }
            let question = SettingsStoreBatch(
                writes: [], expectations: [.init(key: key("a"), data: Data("2".utf8))])
            #expect(try store.apply(question))
            #expect(try store.text("a") == "2" && writing.text("a") == "2" && medium.fresh().text("a") == "2")
        }
    }

    /// Gives the files of a medium and their directory permissions.
    private func setPermissions(_ files: mode_t, _ directories: mode_t, in directory: String) throws {
        try #require(chmod(directory, directories) == 0)
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            var isDirectory: ObjCBool = false
            let path = directory + "/" + name
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            try #require(chmod(path, isDirectory.boolValue ? directories : files) == 0)
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
        "A user who may not read the files cannot open the store, and no byte of them changes",
        .enabled(if: getuid() == 0), arguments: StoreKind.allCases)
    func unreadable(kind: StoreKind) async throws {
        try await withTemporaryDirectory { directory in
            // A process that has ended has no background that writes later.
            try await Worker.run("set", kind.medium(in: directory).path, "a", "1")
            try setPermissions(0o600, 0o777, in: directory)
            let before = try contents(of: directory)
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
            let after = try contents(of: directory)
            #expect(before.allSatisfy { after[$0.key] == $0.value })
        }
    }

    /// The bytes of each file in a directory and those below.
    private func contents(of directory: String) throws -> [String: Data] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory)
        return Dictionary(
            uniqueKeysWithValues: paths.compactMap { name in
                FileManager.default.contents(atPath: directory + "/" + name).map { (name, $0) }
            })
    }
}
