import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("The contract of a store")
struct ContractTests {
    @Test("A batch is in the file whole or not at all")
    func batch() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let store = try open(path)
            let entries = ["a", "b"].map { SettingsStoreBatch.Entry(key: key($0), data: Data("1".utf8)) }
            #expect(
                try !store.apply(.init(writes: entries, expectations: [.init(key: key("a"), data: Data("0".utf8))])))
            try store.synchronize()
            #expect(try names(in: directory) == [])
            #expect(try store.apply(.init(writes: entries, expectations: [.init(key: key("a"), data: nil)])))
            try store.synchronize()
            #expect(try members(of: path) == ["a": .integer(1), "b": .integer(1)])
        }
    }

    @Test("Two services over one store see each other's values at once")
    func twoServices() throws {
        try withTemporaryDirectory { directory in
            let store = try open(directory + "/Settings.plist")
            let setting = Setting<Int>("a", in: .defaults, default: 0)
            let (one, _) = SettingsService.over(store)
            let (other, _) = SettingsService.over(store)
            #expect(other.get(setting) == 0)
            one.set(setting, to: 5)
            #expect(other.get(setting) == 5)
        }
    }

    @Test("No value is in any message")
    func noValueInMessages() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try write(xml("<key>a</key><string>s3cret-token</string><key>b</key><s3cret-tag/>"), to: path)
            let (service, problems) = SettingsService.over(try open(path))
            #expect(service.get(Setting<Int>("a", in: .defaults, default: 0)) == 0)
            #expect(problems.codes == [.damaged, .decodingFailed])
            for problem in problems.all {
                #expect(!"\(problem) \(String(reflecting: problem))".contains("s3cret-t"))
            }
        }
    }
}
