import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

@Suite("URLs in UserDefaults")
struct UserDefaultsURLTests {
    private static let setting = Setting<URL?>("url", in: .defaults)

    /// No folder of these exists: of one that does, `url(forKey:)` adds a slash.
    private static let files = [
        "file:///tmp/missing.txt", "file:///tmp/missing%20folder/a%20b.txt",
        "file:///tmp/m%C3%A4%C3%9Fig/%F0%9F%8E%B5.mp3",
        "file:///tmp/missing/folder/", "file:///tmp/missing%25.txt", "file:///tmp/a%0Ab", "file:///~/missing.txt",
        "file:///",
        URL(fileURLWithPath: NSHomeDirectory() + "/missing folder/a.txt").absoluteString,
        URL(fileURLWithPath: NSHomeDirectory() + "/missing/", isDirectory: true).absoluteString,
    ]
    private static let others = [
        "https://example.com/a%20b?q=1#f", "http://user@example.com:8080/", "mailto:ann@example.com", "data:,x",
        "https://example.com/%C3%A4", "relative/path", "/absolute/path", "~/path", "../up", "?query", "#fragment",
        "file://host/path", "file:///path?query", "file:///path#fragment", "file:///%61",
    ]

    private func withService(
        _ body: (_ service: SettingsService, _ defaults: UserDefaults, _ store: UserDefaultsStore) throws -> Void
    ) throws {
        try withSuite { name in
            let store = UserDefaultsStore(suite: name)
            try body(
                SettingsService(defaults: store, diagnosticSink: .none), try #require(UserDefaults(suiteName: name)),
                store)
        }
    }

    @Test(
        "A setting reads a URL that other code has stored as UserDefaults reads it", arguments: Self.files + Self.others
    )
    func reads(text: String) throws {
        try withService { service, defaults, _ in
            let url = try #require(URL(string: text))
            defaults.set(url, forKey: "url")
            let expected = defaults.url(forKey: "url")
            // What it stores for these is an empty path.
            let isLost = defaults.object(forKey: "url") as? String == ""
            #expect(service.get(Self.setting)?.absoluteURL == (isLost ? nil : expected?.absoluteURL))
        }
    }

    @Test("A URL that is set comes back, and other code reads that of a file", arguments: Self.files + Self.others)
    func writes(text: String) throws {
        try withService { service, defaults, store in
            let url = try #require(URL(string: text))
            try service.save(Self.setting, to: url)
            #expect(service.get(Self.setting)?.absoluteString == text)
            #expect(SettingsService(defaults: store, diagnosticSink: .none).get(Self.setting) == url)
            if Self.files.contains(text) {
                #expect(defaults.url(forKey: "url")?.absoluteString == text)
            } else {
                #if os(Linux)
                    let isText = url.scheme != nil && !url.isFileURL
                    #expect(defaults.string(forKey: "url") == (isText ? text : nil))
                #else
                    #expect(defaults.url(forKey: "url")?.absoluteString == text)
                #endif
            }
        }
    }

    @Test(
        "Paths are read as UserDefaults reads them, and a string with a scheme as the URL that it spells",
        arguments: ["/a b", "~/a", "~", "/a/b/", "/a%20b", "relative", "~missing-user/a", "/a:b"])
    func paths(path: String) throws {
        try withService { service, defaults, _ in
            defaults.set(path, forKey: "url")
            let expected = try #require(defaults.url(forKey: "url")).absoluteString
            let url = try #require(service.get(Self.setting)).absoluteString
            // The home folder exists, and the file system is not asked.
            #expect(url == expected || path == "~" && url + "/" == expected)
            for text in ["https://example.com/a", "file:///a%20b"] {
                defaults.set(text, forKey: "url")
                #expect(service.get(Self.setting)?.absoluteString == text)
            }
        }
    }

    @Test("Settings of other types, and those with a transformer, keep what looks like a URL as it is")
    func otherTypes() throws {
        try withService { service, defaults, _ in
            let string = Setting<String>("string", in: .defaults, default: "")
            service.set(string, to: "file:///a")
            #expect(defaults.string(forKey: "string") == "file:///a")
            let json = Setting<URL?>("json", in: .defaults, transformer: JSONTransformer())
            service.set(json, to: URL(string: "file:///a"))
            #expect(defaults.string(forKey: "json") == "file:///a")
        }
    }

    @Test("A setting has the URL also if its name was read before as something else, and after a migration")
    func surfaces() throws {
        try withService { service, defaults, store in
            let file = URL(fileURLWithPath: "/missing/file")
            defaults.set(file, forKey: "url")
            #expect(store.get(.init("url", scope: .defaults)) == Data(#""/missing/file""#.utf8))
            let heard = Recorder<URL?>()
            let subscription = service.observe(Self.setting) { heard.append($0.newValue) }
            #expect(try service.load(Self.setting) == file)
            @Persisted(key: "url", storedBy: store) var persisted: URL?
            #expect(persisted == file)
            try service.synchronize()
            #expect(heard.all.isEmpty)
            let other = SettingsService(
                defaults: MemoryStore(), storesForCustomScopes: [.custom(id: "old"): store], diagnosticSink: .none)
            try other.migrate([.move(Self.setting, from: .custom(id: "old"))])
            #expect(other.get(Self.setting) == file && service.get(Self.setting) == nil)
            subscription.cancel()
        }
    }

    @Test("Data that is no URL is undecodable, and stays")
    func damaged() throws {
        try withService { service, defaults, _ in
            for data in [Data(), Data([1, 2]), Data("bplist00".utf8)] {
                defaults.set(data, forKey: "url")
                #expect(throws: SettingsError.self) { try service.load(Self.setting) }
                #expect(defaults.data(forKey: "url") == data)
            }
        }
    }
}
