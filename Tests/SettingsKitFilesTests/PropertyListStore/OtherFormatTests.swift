import Foundation
import SettingsKitCore
import SettingsKitPlatform
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

@Suite("Files of other formats at the path of a property list", .ownThreads)
struct OtherFormatTests {
    private static let recognized: [String: Data] = [
        "SQLite": Data("SQLite format 3\0".utf8) + Data(count: 100), "JSON": Data("\u{FEFF} \n{ \"a\" : 1 }".utf8),
        "empty JSON": Data("{}\n".utf8), "cut JSON": Data("{\"a\": {\"b\": [1,".utf8),
        "a list in JSON": Data("[1, {}]".utf8),
        "zip": Data("PK\u{3}\u{4}".utf8) + Data(count: 30), "gzip": Data([0x1F, 0x8B, 8, 0, 0, 0]),
        "xz": Data([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]), "bzip2": Data("BZh91AY&SY".utf8),
        "7z": Data([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), "zstd": Data([0x28, 0xB5, 0x2F, 0xFD]),
        "tar": Data(count: 257) + Data("ustar\0".utf8) + Data(count: 249),
    ]

    private static func picture(_ directory: String) throws -> [String: Data?] {
        var picture: [String: Data?] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            picture[name] = FileManager.default.contents(atPath: "\(directory)/\(name)")
        }
        return picture
    }

    @Test("A file of a recognized format is refused, and stays as it is", arguments: recognized.keys.sorted())
    func refused(_ name: String) throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/Settings.plist"
            try #require(Self.recognized[name]).write(to: URL(fileURLWithPath: path))
            let before = try Self.picture(directory)
            for access in [SettingsStoreAccess.readOnly, .readWrite] {
                let error = #expect(throws: SettingsError.self) { try PropertyListStore(path: path, access: access) }
                let message = error.map { "\($0)" } ?? ""
                #expect(error?.code == .storeUnavailable && message.contains("not a property list"), "\(message)")
            }
            #expect(try Self.picture(directory) == before)
        }
    }

    @Test(
        "Text that may be a mistyped property list is damage: it is kept aside",
        arguments: [
            "", "text", "<plist><dict>", "{ a = 1; }", "{\"a\" = 1;}", "[settings]\na=1", "<html/>", "PK", "BZ",
            "bplist00",
        ])
    func damage(_ text: String) throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/Settings.plist"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let store = try PropertyListStore(path: path)
            try store.set(.init("a", scope: .defaults), to: Data("1".utf8))
            try store.bringUpToDate()
            let aside = try Self.picture(directory).filter { $0.key.contains(".damaged-") }
            #expect(aside.map(\.value) == [Data(text.utf8)])
        }
    }

    @Test("A property list that another format has overwritten is recovered from its log")
    func overwritten() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/Settings.plist"
            do {
                let store = try PropertyListStore(path: path)
                try store.set(.init("a", scope: .defaults), to: Data("1".utf8))
                try store.bringUpToDate()
            }
            try Data("{\"a\": 2}".utf8).write(to: URL(fileURLWithPath: path))
            let store = try PropertyListStore(path: path)
            #expect(store.get(.init("a", scope: .defaults)) == Data("1".utf8))
            try store.set(.init("b", scope: .defaults), to: Data("2".utf8))
            try store.bringUpToDate()
            #expect(try Self.picture(directory).contains { $0.key.contains(".damaged-") })
        }
    }
}
