import Foundation
import SettingsKit
import SettingsSQLite
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

@Suite("Types that only property lists have", .ownThreads)
struct ToolNativeTypeTests {
    /// The members of a property list whose types the stored bytes do not show.
    private static let members = """
        <key>amount</key>
        <real>1</real>
        <key>count</key>
        <integer>1</integer>
        <key>limits</key>
        <dict>
        <key>from</key>
        <date>2001-01-01T00:01:00Z</date>
        <key>ratios</key>
        <array>
        <real>0</real>
        <integer>2</integer>
        <data>AAEC</data>
        <string>AAEC</string>
        </array>
        </dict>
        <key>seal</key>
        <data>AAEC</data>
        <key>when</key>
        <date>2026-11-22T18:00:00Z</date>
        """

    private static func write(_ path: String, _ members: String = members) throws {
        try Data("<plist version=\"1.0\">\n<dict>\n\(members)\n</dict>\n</plist>\n".utf8).write(to: URL(filePath: path))
    }

    /// A property list as other programs see it, with its keys sorted.
    private static func read(_ path: String) throws -> PropertyListValue {
        sorted(try PropertyListReader.read(Data(contentsOf: URL(filePath: path))))
    }

    private static func sorted(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .dictionary(let members):
            .dictionary(
                members.sorted { $0.key < $1.key }.map { PropertyListMember(key: $0.key, value: sorted($0.value)) })
        case .array(let values): .array(values.map(sorted))
        default: value
        }
    }

    @Test(
        "A property list that is exported and imported, or copied, has the same types", arguments: ["export", "copy"])
    func unchanged(_ command: String) throws {
        try withTemporaryDirectory { (directory: String) in
            let (source, target) = ("\(directory)/a.plist", "\(directory)/b.plist")
            try Self.write(source)
            if command == "export" {
                #expect(ToolBench.run(["export", source, "\(directory)/x.plist"]).code == 0)
                #expect(ToolBench.run(["import", target, "\(directory)/x.plist"]).code == 0)
            } else {
                #expect(ToolBench.run(["copy", source, target]) == .init(0, "5 settings, 5 changed.\n"))
            }
            #expect(try Self.read(target) == Self.read(source))
            #expect(ToolBench.run(["diff", source, target]) == .init(0))
            // Through a store without these types, the stored bytes are the same.
            let database = "sqlite:\(directory)/c.sqlite"
            #expect(ToolBench.run(["copy", source, database]).code == 0)
            #expect(ToolBench.run(["copy", database, target]) == .init(0, "5 settings, 0 changed.\n"))
            #expect(try Self.read(target) == Self.read(source))
        }
    }

    @Test("diff finds values that differ in their types alone, and import changes them")
    func differences() throws {
        try withTemporaryDirectory { (directory: String) in
            let (source, target) = ("\(directory)/a.plist", "\(directory)/b.plist")
            try Self.write(source)
            try Self.write(
                target,
                Self.members.replacing("<real>1</real>", with: "<integer>1</integer>")
                    .replacing("<data>AAEC</data>\n<string>", with: "<string>AAEC</string>\n<string>"))
            let compared = ToolBench.run(["diff", target, source])
            let lines = compared.output.split(separator: "\n")
            #expect(compared.code == 3 && lines.count == 2, "\(compared)")
            #expect(lines[0] == "~ amount: 1 (integer) → 1 (real)" && lines[1].hasSuffix(" (types inside differ)"))
            #expect(ToolBench.run(["diff", target, source, "--json"]).output.contains("\"newType\": \"real\""))
            // A setting that only the target has is removed.
            #expect(ToolBench.run(["set", target, "old", "1"]).code == 0)
            #expect(ToolBench.run(["import", target, source, "--replace"]).code == 0)
            #expect(try Self.read(target) == Self.read(source))
            #expect(ToolBench.run(["import", target, source]).output == "Nothing changes.\n")
        }
    }
}
