import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("What is more than a property list can hold")
struct LimitsTests {
    private static let setting = Setting<String>("text", in: .defaults, default: "")

    private func limits(contents: Int = 10_000) -> PropertyListStoreLimits {
        var limits = PropertyListStoreLimits()
        limits.contents = contents
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
