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

    @Test(
        "Other code reads a URL that is set as the same URL, and so does the setting",
        arguments: Self.files + Self.others)
    func writes(text: String) throws {
        try withService { service, defaults, store in
            let url = try #require(URL(string: text))
            try service.save(Self.setting, to: url)
            #expect(defaults.url(forKey: "url")?.absoluteString == text)
            #expect(service.get(Self.setting)?.absoluteString == text)
            #expect(SettingsService(defaults: store, diagnosticSink: .none).get(Self.setting) == url)
            #if os(Linux)
                let isFile = Self.files.contains(text)
                #expect(defaults.string(forKey: "url") == (isFile ? url.path(percentEncoded: false) : nil))
            #endif
        }
    }

    @Test(
        "Paths and archives are read as UserDefaults reads them, and a string with a scheme as the URL that it spells",
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
            let base = URL(string: "https://example.com/folder/")
            let archive = try NSKeyedArchiver.archivedData(
                withRootObject: try #require(NSURL(string: "file", relativeTo: base)), requiringSecureCoding: true)
            defaults.set(archive, forKey: "url")
            #expect(service.get(Self.setting)?.absoluteString == "https://example.com/folder/file")
        }
    }

    @Test("A URL that other code stores as text stays text")
    func text() throws {
        try withService { service, defaults, _ in
            defaults.set("https://example.com/a", forKey: "url")
            service.set(Self.setting, to: URL(string: "https://example.com/b"))
            #expect(defaults.string(forKey: "url") == "https://example.com/b")
            service.set(Self.setting, to: URL(string: "file:///b"))
            #expect(defaults.url(forKey: "url") == URL(string: "file:///b"))
            service.set(Self.setting, to: nil)
            #expect(defaults.object(forKey: "url") == nil)
        }
    }

    @Test("Settings of other types, and those with a transformer, keep what looks like a URL as it is")
    func otherTypes() throws {
        try withService { service, defaults, _ in
            for text in ["file:///a", "/a", "~/a"] {
                let string = Setting<String>("string", in: .defaults, default: "")
                service.set(string, to: text)
                #expect(defaults.string(forKey: "string") == text && service.get(string) == text)
                let list = Setting<[URL]>("list", in: .defaults, default: [])
                service.set(list, to: [try #require(URL(string: text))])
                #expect(defaults.stringArray(forKey: "list") == [text])
                let json = Setting<URL?>("json", in: .defaults, transformer: JSONTransformer())
                service.set(json, to: URL(string: text))
                #expect(defaults.string(forKey: "json") == text && service.get(json) == URL(string: text))
            }
            let home = Setting<URL?>("home", in: .defaults, default: URL(string: "https://example.com"))
            service.set(home, to: nil)
            #expect(service.get(home) == nil && service.isSet(home))
        }
    }

    @Test("Each way to a setting has the same URL, also if its name was read before as something else")
    func surfaces() throws {
        try withService { service, defaults, store in
            let file = URL(fileURLWithPath: "/missing/file")
            defaults.set(file, forKey: "url")
            #expect(store.get(.init("url", scope: .defaults)) == Data(#""/missing/file""#.utf8))
            let heard = Recorder<URL?>()
            let subscription = service.observe(Self.setting) { heard.append($0.newValue) }
            #expect(store.get(Self.setting) == file)
            #expect(try service.load(Self.setting) == file)
            @Persisted(key: "url", storedBy: store) var persisted: URL?
            #expect(persisted == file)
            let layered = SettingsService(
                defaults: try LayeredStore([.writable(store), .fallback(MemoryStore(), name: "built in")]),
                diagnosticSink: .none)
            #expect(layered.get(Self.setting) == file)
            #expect(heard.all.isEmpty)
            let next = service.update(Self.setting) { url in
                url?.append(path: "next")
                return url
            }
            #expect(next == URL(fileURLWithPath: "/missing/file/next") && defaults.url(forKey: "url") == next)
            defaults.set(URL(fileURLWithPath: "/missing/other"), forKey: "url")
            try service.synchronize()
            #expect(heard.all == [next, URL(fileURLWithPath: "/missing/other")])
            layered.transaction { $0.set(Self.setting, to: file) }
            #expect(defaults.url(forKey: "url") == file && persisted == file)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("A migration moves a URL to another store as a URL")
    func migration() throws {
        try withService { _, defaults, store in
            let service = SettingsService(
                defaults: MemoryStore(), storesForCustomScopes: [.custom(id: "old"): store], diagnosticSink: .none)
            let renamed = Setting<URL?>("renamed", in: .defaults)
            let text = Setting<String>("text", in: .defaults, default: "")
            for name in ["url", "before", "converted"] {
                defaults.set(URL(fileURLWithPath: "/missing/\(name)"), forKey: name)
            }
            try service.migrate([
                .move(Self.setting, from: .custom(id: "old")),
                .rename("before", in: .custom(id: "old"), to: renamed),
                .rename("converted", in: .custom(id: "old"), to: text) { (old: URL) in old.absoluteString },
            ])
            #expect(service.get(Self.setting) == URL(fileURLWithPath: "/missing/url"))
            #expect(service.get(renamed) == URL(fileURLWithPath: "/missing/before"))
            #expect(service.get(text) == "file:///missing/converted")
        }
    }

    @Test("A damaged archive, and data that is none, is undecodable, stays, and harms nothing")
    func damaged() throws {
        try withService { service, defaults, _ in
            let archive = try NSKeyedArchiver.archivedData(
                withRootObject: try #require(NSURL(string: "https://example.com/a")), requiringSecureCoding: true)
            for place in archive.indices {
                for byte: UInt8 in [0x00, 0x80, 0xD3, 0xFF] {
                    var damaged = archive
                    damaged[place] = byte
                    defaults.set(damaged, forKey: "url")
                    _ = service.get(Self.setting)
                    #expect(defaults.data(forKey: "url") == damaged)
                }
            }
            for data in [Data(), Data([1, 2]), archive.dropLast(), Data("bplist00".utf8)] {
                defaults.set(data, forKey: "url")
                #expect(throws: SettingsError.self) { try service.load(Self.setting) }
            }
        }
    }
}
