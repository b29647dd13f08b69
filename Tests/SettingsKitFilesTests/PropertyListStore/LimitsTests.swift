import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("What is more than a property list can hold")
struct LimitsTests {
    private static let setting = Setting<String>("text", in: .defaults, default: "")

    @Test(
        "What is more than a property list can hold is refused when it is set, with the limit, and the old value stays")
    func isRefusedWhenIt() throws {
        try withPropertyList { path in
            var limits = PropertyListStoreLimits()
            limits.contents = 10_000
            let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem(), limits: limits)
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
            #expect(try members(of: path)["text"] == .string("small"))
        }
    }

    @Test("A property list's name may have 200 bytes, also of one that is kept aside")
    func longName() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/" + String(repeating: "n", count: 194) + ".plist"
            try write("damaged", to: path)
            let store = try open(path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1)])
            #expect(try names(in: directory).contains { $0.contains(".damaged-") })
        }
    }
}
