import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

@Suite("Files at the path of a property list that are none", .ownThreads)
struct InvalidFileTests {
    private static let foreign: [String: Data] = [
        "SQLite": Data("SQLite format 3\0".utf8) + Data(count: 100), "JSON": Data("\u{FEFF} \n{ \"a\" : 1 }".utf8),
        "empty JSON": Data("{}\n".utf8), "cut JSON": Data("{\"a\": {\"b\": [1,".utf8),
        "a list in JSON": Data("[1, {}]".utf8), "zip": Data("PK\u{3}\u{4}".utf8) + Data(count: 30),
        "gzip": Data([0x1F, 0x8B, 8, 0, 0, 0]), "tar": Data(count: 257) + Data("ustar\0".utf8) + Data(count: 249),
    ]

    @Test("A file of another program is refused, and stays as it is", arguments: foreign.keys.sorted())
    func refused(name: String) throws {
        try withPropertyList { path in
            let file = try #require(Self.foreign[name])
            try write(file, to: path)
            for access in [SettingsStoreAccess.readOnly, .readWrite] {
                let error = #expect(throws: SettingsError.self) { try PropertyListStore(path: path, access: access) }
                #expect(error?.code == .storeUnavailable)
                #expect(error?.description.contains("not a property list") == true)
            }
            #expect(try bytes(of: path) == file)
        }
    }

    private static let invalid: [String: Data] = [
        "an array": Data("<plist><array><string>s3cret</string></array></plist>".utf8),
        "cut": Data("<plist><dict><key>a</key><string>s3cret".utf8),
        "an unknown element": Data("<plist><dict><key>a</key><s3cret/></dict></plist>".utf8),
        "invalid UTF-8": Data("<plist><dict><key>".utf8) + [0xFF, 0xC0] + Data("</key><true/></dict></plist>".utf8),
        "deep": Data(String(repeating: "<array>", count: 100_000).utf8), "empty": Data(), "spaces": Data(" \n\n".utf8),
        "zeros": Data(count: 4_096), "a cut binary file": Data("bplist00".utf8) + [0xD0],
        "old style": Data("{ a = 1; b = \"s3cret\"; }".utf8), "INI": Data("[settings]\na=s3cret".utf8),
        "HTML": Data("<html/>".utf8),
        "noise": Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }),
    ]

    @Test(
        "An invalid file is reported once, without its values, and kept aside when it is replaced",
        arguments: invalid.keys.sorted())
    func keptAside(name: String) throws {
        try withTemporaryDirectory { directory in
            let (path, file) = (directory + "/Settings.plist", try #require(Self.invalid[name]))
            try write(file, to: path)
            let (service, problems) = SettingsService.over(try open(path))
            #expect(problems.codes == [.damaged])
            #expect(problems.all.first?.description.contains(path) == true)
            #expect(!problems.all.contains { "\($0) \(String(reflecting: $0))".contains("s3cret") })
            try service.bringUpToDate()
            #expect(try names(in: directory) == ["Settings.plist"] && bytes(of: path) == file)
            try service.save(Setting<String>("new", in: .defaults, default: ""), to: "value")
            try service.bringUpToDate()
            #expect(try members(of: path) == ["new": .string("value")])
            let others = try names(in: directory).filter { $0 != "Settings.plist" }
            #expect(others.count == 1 && others[0].hasPrefix("Settings.plist.damaged-"), "\(others)")
            #expect(try bytes(of: directory + "/" + #require(others.first)) == file)
            #expect(problems.codes == [.damaged])
        }
    }

    @Test("Members with names that no setting can have stay in the file")
    func impossibleNames() throws {
        try withPropertyList { path in
            try write(xml("<key></key><true/><key>a</key><false/>"), to: path)
            let service = SettingsService.over(try open(path)).service
            let subscription = service.observe(in: .defaults) { _ in }
            try write(xml("<key></key><false/><key>a</key><true/>"), to: path)
            try service.bringUpToDate()
            service.set(Setting<Int>("b", in: .defaults, default: 0), to: 1)
            try service.bringUpToDate()
            #expect(try members(of: path) == ["": .boolean(false), "a": .boolean(true), "b": .integer(1)])
            withExtendedLifetime(subscription) {}
        }
    }
}
