import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("What is more than a property list can hold")
struct LimitsTests {
    private static let setting = Setting<String>("text", in: .defaults, default: "")

    private func limits(contents: Int = 10_000, journal: Int = 100_000, rewrite: Int = 4_096) -> PropertyListStoreLimits
    {
        var limits = PropertyListStoreLimits()
        (limits.contents, limits.journal, limits.rewrite) = (contents, journal, rewrite)
        return limits
    }

    @Test(
        "What is more than a property list can hold is refused when it is set, with the limit, and the old value stays")
    func isRefusedWhenIt() throws {
        try withPropertyList { path in
            let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem(), limits: limits())
            let (service, _) = SettingsService.over(store)
            try service.save(Self.setting, to: String(repeating: "a", count: 9_000))
            let error = #expect(throws: SettingsError.self) {
                try service.save(Self.setting, to: String(repeating: "secret", count: 3_000))
            }
            #expect(error?.code == .tooLarge)
            #expect(error?.description.contains("10000 bytes") == true)
            #expect(error?.description.contains("secret") == false)
            #expect(service.get(Self.setting).count == 9_000)
            // Also many small ones, and a batch; what makes it smaller is always taken.
            #expect(throws: SettingsError.self) {
                for number in 0..<200 { try store.set(key("\(number)"), to: Data(count: 100)) }
            }
            #expect(throws: SettingsError.self) {
                let writes = (0..<200).map { SettingsStoreBatch.Entry(key: key("b\($0)"), data: Data(count: 100)) }
                _ = try store.apply(SettingsStoreBatch(writes: writes))
            }
            #expect(store.get(key("b0")) == nil)
            try service.save(Self.setting, to: "small")
            try service.bringUpToDate()
            let again = try PropertyListStore(path: path, fileSystem: POSIXFileSystem(), limits: limits())
            #expect(again.get(key("text")) == Data("\"small\"".utf8))
        }
    }

    @Test(
        "What is more than a property list can hold does not come about by a journal that is not folded: it is rewritten, one record a name"
    )
    func doesNotComeAbout() throws {
        try withPropertyList { path in
            let store = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400), limits: limits())
            for number in 1...2_000 { try store.set(key("n\(number % 7)"), to: Data("\(number)".utf8)) }
            #expect(try bytes(of: path + "-journal").count < 6_000)
            let other = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
            #expect(other.get(key("n5")) == Data("2000".utf8))
            #expect(other.keys().count == 7)
        }
    }

    @Test(
        "What is more than a property list can hold stops a journal that can be neither folded nor rewritten at its bound, until it can"
    )
    func stopsAJournalThat() throws {
        try withPropertyList { path in
            let fileSystem = FaultyFileSystem()
            let store = try PropertyListStore(
                path: path, fileSystem: fileSystem, writingDelay: .seconds(86_400), limits: limits())
            try store.set(key("n"), to: Data("0".utf8))
            fileSystem.set(.calls([.create, .rename, .link], errno: EACCES))
            var number = 0
            let error = #expect(throws: SettingsError.self) {
                while true {
                    number += 1
                    try store.set(key("n"), to: Data("\(number)".utf8))
                }
            }
            #expect(error?.code == .tooLarge)
            #expect(number > 1_000)
            #expect(store.get(key("n")) == Data("\(number - 1)".utf8))
            #expect(try bytes(of: path + "-journal").count <= 100_000)
            fileSystem.set(.none)
            try store.bringUpToDate()
            try store.set(key("n"), to: Data("-1".utf8))
            #expect(try PropertyListStore(path: path, fileSystem: POSIXFileSystem()).get(key("n")) == Data("-1".utf8))
        }
    }

    @Test(
        "What is more than a property list can hold is not a name that the file system takes",
        arguments: [200, 201, 236, 250, 255])
    func isNotAName(length: Int) async throws {
        try withTemporaryDirectory { directory in
            let name = String(repeating: "n", count: length - 6) + ".plist"
            let path = directory + "/" + name
            for number in 1...3 {
                let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
                try store.set(key("a"), to: Data("\(number)".utf8))
                #expect(try PropertyListStore(path: path, fileSystem: POSIXFileSystem()).get(key("a")) != nil)
                try store.bringUpToDate()
                #expect(try members(of: path) == ["a": .integer(Int64(number))])
            }
            try write("damaged", to: path)
            let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
            #expect(store.get(key("a")) == Data("3".utf8))
            try store.set(key("a"), to: Data("4".utf8))
            try store.bringUpToDate()
            let all = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(all.contains { $0.contains(".damaged-") })
            #expect(!all.contains { $0.hasSuffix(".tmp") })
        }
    }
}
