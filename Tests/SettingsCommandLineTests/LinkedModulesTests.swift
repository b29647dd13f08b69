import Foundation
import SettingsTestSupport
import Testing

@Suite("What programs link", .ownThreads)
struct LinkedModulesTests {
    /// The names of modules as they are in symbols.
    private static let others = ["14SettingsSQLite", "12SettingsEtcd"]

    private static func modules(of program: String) throws -> [String] {
        let directory = URL(filePath: try ToolProcess.path()).deletingLastPathComponent()
        let bytes = try Data(contentsOf: directory.appending(path: program), options: .alwaysMapped)
        return others.filter { bytes.range(of: Data($0.utf8)) != nil }
    }

    @Test("A program with commands over its own settings links neither SQLite nor etcd")
    func program() throws {
        #expect(try Self.modules(of: "Player") == [])
        #expect(try Self.modules(of: "settings") == Self.others)
    }
}
